from __future__ import annotations

from pathlib import Path

import pytest

from eval.patient import Patience, PatientLlm, Replies, Tally
from qandai.chat import Form, Prompt
from qandai.errors import AccessRefused, ProviderError, QandaiError, Throttled, TimedOut, Unusable
from tests.fakes import ScriptedLlm

PROMPT = Prompt("system", "user", 100)


class Asked:
    """A patient model whose waits are noted and not waited for."""

    def __init__(self, *replies: str | QandaiError, patience: Patience | None = None) -> None:
        self.waits: list[float] = []
        self.tally = Tally()
        self.llm = ScriptedLlm(*replies)
        self.patient = PatientLlm(self.llm, tally=self.tally, patience=patience or Patience(), sleep=self.waits.append)

    def said(self) -> str:
        return self.patient.complete(PROMPT, seconds=0.1).text


def test_a_wait_that_the_provider_wants_is_waited_for_as_a_whole() -> None:
    asked = Asked(Throttled("slow down", wait=61.5), Throttled("slow down", wait=7.0), "2: I sold it")
    assert asked.said() == "2: I sold it"
    assert asked.waits == [61.5, 7.0]
    assert asked.tally.waited == 68.5


def test_without_a_time_the_waits_grow() -> None:
    asked = Asked(Throttled("slow down"), Throttled("slow down"), "yes")
    asked.said()
    assert asked.waits == [2.0, 4.0]


def test_a_wait_that_is_too_long_is_not_begun() -> None:
    asked = Asked(Throttled("tomorrow", wait=3600.0), "yes", patience=Patience(longest_wait=900))
    with pytest.raises(Throttled):
        asked.said()
    assert asked.waits == []


@pytest.mark.parametrize("error", [TimedOut("late"), ProviderError("it answered 503")])
def test_what_may_pass_is_asked_again_a_few_times(error: ProviderError) -> None:
    asked = Asked(error, patience=Patience(tries=2))
    with pytest.raises(type(error)):
        asked.said()
    assert len(asked.llm.asked) == 3


@pytest.mark.parametrize("error", [AccessRefused("the key"), Unusable("it said nothing")])
def test_what_will_not_pass_is_not_asked_again(error: ProviderError) -> None:
    asked = Asked(error, "yes")
    with pytest.raises(type(error)):
        asked.said()
    assert (len(asked.llm.asked), asked.waits) == (1, [])


def test_a_reply_that_is_kept_is_not_asked_for_again_and_keeps_its_time(tmp_path: Path) -> None:
    first, again = ScriptedLlm("yes"), ScriptedLlm("no")
    tally = Tally()
    ticks = iter([0.0, 0.0, 2.0, 2.0, 10.0, 10.001])
    for llm in (first, again):
        patient = PatientLlm(llm, replies=Replies(tmp_path), tally=tally, clock=lambda: next(ticks))
        assert patient.complete(PROMPT, seconds=1).text == "yes"
    assert again.asked == []
    made, kept = tally.take()
    assert (made.ms, made.kept, kept.ms, kept.kept) == (2000, False, 2000, True)
    assert kept.spent_ms == pytest.approx(1)
    assert (kept.prompt_tokens, kept.reply_tokens) == (100, 10)


@pytest.mark.parametrize(
    "other",
    [Prompt("other", "user", 100), Prompt("system", "other", 100), Prompt("system", "user", 100, Form("f", {}))],
)
def test_another_prompt_is_asked(tmp_path: Path, other: Prompt) -> None:
    llm = ScriptedLlm("one", "two")
    patient = PatientLlm(llm, replies=Replies(tmp_path))
    assert patient.complete(PROMPT, seconds=1).text == "one"
    assert patient.complete(other, seconds=1).text == "two"


def test_a_kept_reply_that_is_damaged_is_asked_for_again(tmp_path: Path) -> None:
    patient = PatientLlm(ScriptedLlm("one", "two"), replies=Replies(tmp_path))
    patient.complete(PROMPT, seconds=1)
    (kept,) = tmp_path.rglob("*.json")
    kept.write_text(kept.read_text()[:20])
    assert patient.complete(PROMPT, seconds=1).text == "two"
    assert [path.suffix for path in tmp_path.rglob("*") if path.is_file()] == [".json"]


def test_a_stream_is_the_whole_reply_in_one_piece() -> None:
    pieces = PatientLlm(ScriptedLlm("all of it")).stream(PROMPT, seconds=1)
    assert list(pieces) == ["all of it"]
