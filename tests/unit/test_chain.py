from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pytest

from qandai.chain import Chain, Deadline, Rests, Task
from qandai.chat import Prompt
from qandai.errors import (
    AccessRefused,
    ProviderError,
    QandaiError,
    Refused,
    Throttled,
    TimedOut,
    TooLarge,
    Unavailable,
    Unusable,
)
from tests.fakes import ScriptedLlm

PROMPT = Prompt("rules", "question", longest=100)


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def word(reply: str) -> str:
    if " " in reply:
        raise Unusable("more than a word")
    return reply


TASK = Task(PROMPT, word)


def chain(*models: ScriptedLlm, clock: Clock | None = None) -> Chain:
    return Chain("select", models, Rests(clock or Clock()))


def deadline(seconds: float = 8.0, clock: Clock | None = None) -> Deadline:
    return Deadline(seconds, clock or Clock())


def test_the_first_model_that_answers_usably_is_the_last_one_asked() -> None:
    first, second, third = ScriptedLlm("two words", model="a"), ScriptedLlm("yes", model="b"), ScriptedLlm("no")
    outcome = chain(first, second, third).ask(lambda _: TASK, deadline())
    assert (outcome.value, outcome.model, third.asked) == ("yes", "b", [])
    assert [(trouble.model, trouble.cause, trouble.remedy) for trouble in outcome.troubles] == [
        ("a", "unusable", "switch")
    ]


@pytest.mark.parametrize(
    ("error", "cause", "remedy"),
    [
        (Throttled("429", wait=20.0), "spent", "wait"),
        (TooLarge("413"), "too large", "switch"),
        (TimedOut("late"), "slow", "switch"),
        (Unavailable("404"), "gone", "alert"),
        (AccessRefused("401"), "key", "stop"),
        (Refused("400"), "refused", "alert"),
        (ProviderError("500"), "unreachable", "switch"),
        (Unusable("empty"), "unusable", "switch"),
    ],
)
def test_what_went_wrong_says_what_follows(error: ProviderError, cause: str, remedy: str) -> None:
    outcome = chain(ScriptedLlm(error)).ask(lambda _: TASK, deadline())
    assert outcome.value is None
    assert [(trouble.cause, trouble.remedy) for trouble in outcome.troubles] == [(cause, remedy)]


def test_a_spent_model_is_left_alone_until_its_time_and_says_how_long() -> None:
    clock = Clock()
    spent = ScriptedLlm(Throttled("429", wait=20.0), "yes", model="spent")
    asked = chain(spent, ScriptedLlm("other", model="other"), clock=clock)
    asked.ask(lambda _: TASK, deadline(clock=clock))
    clock.now = 12.0
    outcome = asked.ask(lambda _: TASK, deadline(clock=clock))
    assert (len(spent.asked), outcome.value) == (1, "other")
    assert [trouble.wait for trouble in outcome.troubles] == [pytest.approx(8.0)]
    clock.now = 20.5
    assert asked.ask(lambda _: TASK, deadline(clock=clock)).value == "yes"


def test_a_wait_that_nobody_lives_to_see_is_cut() -> None:
    clock = Clock()
    llm = ScriptedLlm(Throttled("429", wait=1e9), "yes")
    asked = chain(llm, clock=clock)
    asked.ask(lambda _: TASK, deadline(clock=clock))
    clock.now = 3601.0
    assert asked.ask(lambda _: TASK, deadline(clock=clock)).value == "yes"


def test_a_refused_key_stops_all_models_of_its_provider_and_no_others() -> None:
    ours = [ScriptedLlm(AccessRefused("401"), model="a", provider="p"), ScriptedLlm("yes", model="b", provider="p")]
    other = ScriptedLlm("else", model="c", provider="q")
    outcome = chain(*ours, other).ask(lambda _: TASK, deadline())
    assert (outcome.value, ours[1].asked) == ("else", [])
    assert [trouble.remedy for trouble in outcome.troubles] == ["stop", "stop"]


def test_rests_are_shared_by_the_steps() -> None:
    rests = Rests(Clock())
    llm = ScriptedLlm(Throttled("429", wait=20.0))
    Chain("expand", [llm], rests).ask(lambda _: TASK, deadline())
    outcome = Chain("select", [llm], rests).ask(lambda _: TASK, deadline())
    assert len(llm.asked) == 1
    assert [(trouble.step, trouble.cause) for trouble in outcome.troubles] == [("select", "spent")]


def test_nobody_uses_up_the_time_of_those_who_come_after() -> None:
    clock = Clock()

    def slowly() -> None:
        clock.now += 4.0

    first = ScriptedLlm(TimedOut("late"), model="a", before=slowly)
    second = ScriptedLlm("yes", model="b")
    assert chain(first, second, clock=clock).ask(lambda _: TASK, deadline(8.0, clock)).value == "yes"
    assert (first.seconds, second.seconds) == ([4.0], [4.0])


def test_nobody_is_asked_when_the_time_is_over() -> None:
    llm = ScriptedLlm("yes")
    outcome = chain(llm).ask(lambda _: TASK, deadline(0.01))
    assert (outcome.value, llm.asked) == (None, [])
    assert [trouble.cause for trouble in outcome.troubles] == ["slow"], "the visitor is told why there is no model"


def test_a_model_that_had_little_time_is_not_called_slow_for_others() -> None:
    clock = Clock()
    llm = ScriptedLlm(TimedOut("late"), "yes")
    asked = chain(llm, clock=clock)
    asked.ask(lambda _: TASK, deadline(1.2, clock))
    assert asked.ask(lambda _: TASK, deadline(8.0, clock)).value == "yes"


def test_what_is_too_large_is_asked_for_by_half_where_nobody_else_is_left() -> None:
    llm = ScriptedLlm(TooLarge("413"), "yes")
    outcome = chain(llm).ask(lambda _: TASK, deadline())
    assert (outcome.value, [prompt.longest for prompt in llm.asked]) == ("yes", [100, 50])
    first = ScriptedLlm(TooLarge("413"), model="a")
    chain(first, ScriptedLlm("yes", model="b")).ask(lambda _: TASK, deadline())
    assert len(first.asked) == 1


def words(pieces: Iterable[str]) -> Iterator[str]:
    for each in "".join(pieces).split():
        if each == "!":
            raise Unusable("it shouts")
        yield each


def streamed(*models: ScriptedLlm) -> tuple[list[str], object]:
    writing = chain(*models).stream(PROMPT, words, deadline())
    return list(writing), writing.outcome


def test_a_stream_begins_before_it_is_read() -> None:
    llm = ScriptedLlm("one two")
    chain(llm).stream(PROMPT, words, deadline())
    assert len(llm.asked) == 1


def test_a_reply_of_which_nothing_can_be_used_is_followed_by_the_next_model() -> None:
    first, second = ScriptedLlm("  ", model="a"), ScriptedLlm("one two", model="b")
    writing = chain(first, second).stream(PROMPT, words, deadline())
    assert (list(writing), writing.outcome.model, writing.outcome.value) == (["one", "two"], "b", 2)
    assert [trouble.cause for trouble in writing.outcome.troubles] == ["unusable"]
    assert all(pieces.closed for llm in (first, second) for pieces in llm.streams)


def test_a_reply_that_breaks_off_is_not_begun_anew() -> None:
    second = ScriptedLlm("three", model="b")
    writing = chain(ScriptedLlm("one ! two", model="a"), second).stream(PROMPT, words, deadline())
    assert (list(writing), second.asked, writing.outcome.value) == (["one"], [], 1)
    assert [trouble.cause for trouble in writing.outcome.troubles] == ["unusable"]


@pytest.mark.parametrize("read", [0, 1])
def test_whoever_goes_ends_the_call(read: int) -> None:
    llm = ScriptedLlm("one two three")
    writing = chain(llm).stream(PROMPT, lambda pieces: iter(pieces), deadline())
    items = iter(writing)
    for _ in range(read):
        next(items)
    writing.close()
    assert llm.streams[0].closed


def test_an_ended_reply_is_followed_by_no_other_model() -> None:
    second = ScriptedLlm("one", model="b")
    writing = chain(ScriptedLlm("  ", model="a"), second).stream(PROMPT, words, deadline())
    writing.close()
    assert list(writing) == []
    assert second.asked == []


def test_nobody_is_asked_for_whoever_has_gone() -> None:
    ended = deadline()
    ended.end()
    llm = ScriptedLlm("yes")
    assert chain(llm).ask(lambda _: TASK, ended).value is None
    assert llm.asked == []


def test_without_models_a_step_goes_without() -> None:
    assert chain().ask(lambda _: TASK, deadline()).value is None
    assert streamed()[0] == []


def test_errors_that_are_no_provider_s_are_not_swallowed() -> None:
    with pytest.raises(QandaiError, match="broken"):
        chain(ScriptedLlm(QandaiError("broken"))).ask(lambda _: TASK, deadline())
