"""Every step of an answer with every fault of a provider: what the visitor gets, who is called, how long it takes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cache, partial
from time import perf_counter
from typing import Literal

import pytest

from qandai.answer import Answer, NoAnswer
from qandai.ask import Asker
from qandai.chat import Cause, Step
from qandai.model import Mode, Person, Question, Video
from qandai.settings import Settings
from tests import helped
from tests.build import row, shelf
from tests.fakes import MemoryShelves
from tests.provider import Provider, Reply, Request, cut, drip, fails, hang, malformed, reply, sse

DEADLINE = 2.0
HURRY = 1.0
SLACK = 0.3

ANN = Person("ann", "Ann")
SOLD = "I had to sell the boat because the boat leaked every night."
TWICE = "People sell a boat twice, once in their heads."
QUESTION = "Why did she sell the boat?"
FOREIGN = "zeppelin parking fees"

MODELS: Mapping[Step, tuple[str, ...]] = {
    "expand": ("e1",),
    "classify": ("c1",),
    "select": ("s1", "s2"),
    "synthesise": ("w1", "w2"),
}
GOOD = {
    "e1": "I sold the boat since it leaked.\nThe boat had to go.",
    "c1": '{"kind": "synthesis"}',
    "s1": f"1: {SOLD}",
    "s2": f"1: {SOLD}",
    "w1": "The boat leaked every night, so she had to sell the boat [1].",
    "w2": "The boat leaked every night, so she had to sell the boat [1].",
}


@cache
def shelves() -> MemoryShelves:
    first = f"The winter was long and we ate a lot of fish. {SOLD} Bread wants time and a warm oven."
    second = f"A boat is a hole in the water. {TWICE} The tax office wrote to me."
    held = shelf(
        row(first, video=Video("v1", "Boats", duration=300.0)),
        row(second, video=Video("v2", "Taxes", duration=300.0)),
        embedder=helped.EMBEDDER,
        chars=110,
    )
    return MemoryShelves({"ann": held})


def settings(base_url: str, **more: object) -> Settings:
    named = {f"model_{step}": ",".join(names) for step, names in MODELS.items()}
    given: dict[str, object] = {
        "llm": "groq",
        "groq_api_key": "not-a-real-key",
        "groq_base_url": base_url,
        "select_way": "quote",
        "answer_seconds": DEADLINE,
        "expand_seconds": HURRY,
        **named,
        **more,
    }
    return Settings.read({}, **given)


def asking(provider: Provider | None) -> AbstractContextManager[Asker]:
    chosen = settings(provider.base_url) if provider else Settings.read({}, llm="none")
    return helped.asking(ANN, shelves(), chosen)


def ask(
    provider: Provider | None, mode: Mode | Literal["auto"], text: str = QUESTION
) -> tuple[Answer | NoAnswer, float]:
    with asking(provider) as asker:
        began = perf_counter()
        answer = asker.ask(Question("ann", text, mode=mode))
        return answer, perf_counter() - began


def script(bad: Mapping[str, Reply], request: Request) -> Reply:
    """Good replies of all models but those that are bad."""
    return bad.get(request.model) or reply(GOOD[request.model])


LATE = {"hangs", "drips"}
FAULTS: Mapping[str, tuple[Reply, Cause]] = {
    "429": (fails(429, "slow down", headers={"retry-after": "20"}), "spent"),
    "429 without a time": (fails(429, "slow down"), "spent"),
    "498": (fails(498, "capacity exceeded"), "spent"),
    "413": (fails(413, "Request too large: Limit 8000, Requested 9100"), "too large"),
    "401": (fails(401, "Invalid API Key", code="invalid_api_key"), "key"),
    "403": (fails(403, "not for you"), "key"),
    "404": (fails(404, "The model does not exist", code="model_not_found"), "gone"),
    "decommissioned": (fails(400, "It has been decommissioned", code="model_decommissioned"), "gone"),
    "400": (fails(400, "something else"), "refused"),
    "500": (fails(500, "internal"), "unreachable"),
    "503": (fails(503, "overloaded"), "unreachable"),
    "closes": (cut(), "unreachable"),
    "hangs": (hang(), "slow"),
    "drips": (drip("1: I had to sell", 0.05), "slow"),
    "html": (malformed("<html>Bad gateway</html>", kind="text/html"), "unusable"),
    "no choices": (malformed({"choices": []}), "unusable"),
    "empty": (reply(""), "unusable"),
    "only thinks": (reply("", reasoning="Let me see", finish="length"), "unusable"),
    "thinks aloud": (reply("<think>maybe 1: the boat"), "unusable"),
}
STEPS = tuple(MODELS)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("step", STEPS)
def test_a_model_that_fails_is_replaced_and_the_answer_is_there_in_time(step: Step, fault: str) -> None:
    bad, cause = FAULTS[fault]
    failing = MODELS[step][0]
    with Provider(partial(script, {failing: bad})) as provider:
        answer, seconds = ask(provider, "auto")
    assert seconds <= DEADLINE + SLACK
    assert isinstance(answer, Answer)
    assert answer.making.mode == "synthesis"
    asked = [request.model for request in provider.requests]
    assert asked.count(failing) == (2 if fault == "413" and len(MODELS[step]) == 1 else 1)
    assert answer.clip.quote.text.startswith(SOLD)
    if cause == "key":  # no model of that provider is asked again
        assert answer.making.lacking
    elif step in ("select", "synthesise"):
        assert answer.clip.quote.text == SOLD
        assert asked.count(MODELS[step][1]) == 1
        assert answer.making.lacking == ()
        assert answer.essay is not None
        assert [statement.cites for statement in answer.essay.statements] == [(1,)]
    told = {trouble.cause for trouble in answer.making.troubles if trouble.model == failing}
    if step in ("expand", "classify") and fault in LATE:  # nobody waits to hear why
        assert told <= {cause}
    elif (step, fault) == ("synthesise", "html"):  # a stream that is none
        assert told <= {"unusable", "unreachable"}
        assert told
    else:
        assert told == {cause}


@pytest.mark.parametrize("fault", FAULTS)
def test_where_every_model_fails_the_answer_is_the_one_without_models(fault: str) -> None:
    alone, _ = ask(None, "synthesis")
    with Provider(FAULTS[fault][0]) as provider:
        answer, seconds = ask(provider, "synthesis")
    assert seconds <= DEADLINE + SLACK
    assert isinstance(answer, Answer)
    assert isinstance(alone, Answer)
    assert (answer.clip, answer.alternatives) == (alone.clip, alone.alternatives)
    assert answer.essay is not None
    assert alone.essay is not None
    assert (answer.essay.spoken, answer.essay.statements) == (alone.essay.spoken, ())
    assert set(answer.making.lacking) == {"clip", "text"}
    assert len(provider.requests) <= sum(map(len, MODELS.values())) + 3  # the 413s asked for by half


def test_below_the_floor_nothing_is_chosen_or_written() -> None:
    with Provider(partial(script, {})) as provider:
        answer, _ = ask(provider, "synthesis", FOREIGN)
    assert isinstance(answer, NoAnswer)
    assert answer.making.short_circuited
    assert {request.model for request in provider.requests} <= {"e1"}


def test_a_text_that_breaks_off_keeps_the_sentences_that_were_shown() -> None:
    said = ["The boat leaked every night [1]. ", "People sell a boat twice [2]. ", "And then"]
    with Provider(partial(script, {"w1": sse(said, ending="cut")})) as provider:
        answer, _ = ask(provider, "synthesis")
    assert isinstance(answer, Answer)
    assert answer.essay is not None
    assert len(answer.essay.statements) >= 1
    assert [request.model for request in provider.requests].count("w2") == 0
    assert "unreachable" in {trouble.cause for trouble in answer.making.troubles}


def test_a_spent_model_is_not_called_again_before_its_time() -> None:
    bad = fails(429, "slow down", headers={"retry-after": "20"})
    with Provider(partial(script, {"s1": bad})) as provider, asking(provider) as asker:
        for _ in range(3):
            answer = asker.ask(Question("ann", QUESTION, mode="clip"))
            assert answer.making.model == "s2"
        assert [request.model for request in provider.requests].count("s1") == 1


def test_whoever_goes_away_ends_the_writing() -> None:
    slow = sse(["The boat leaked every night [1]. "] * 40, gap=0.05)
    with Provider(partial(script, {"w1": slow})) as provider, asking(provider) as asker:
        events = asker.stream(Question("ann", QUESTION, mode="synthesis"))
        next(events)
        next(events)
        next(events)
        events.close()
        assert provider.wait_abandoned()
