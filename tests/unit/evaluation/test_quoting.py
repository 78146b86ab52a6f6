"""What counts as right when a quote is looked for."""

from __future__ import annotations

import pytest

from eval.aligners import ALIGNERS, Text
from eval.alignment import metrics
from eval.quoting import Outcome, Quoting, summarise
from eval.spoken import Passage, choose
from tests.build import row

TALK = row(" ".join(f"word{place} and" for place in range(300)))
OTHER = row(" ".join(f"thing{place} or" for place in range(300)))


def outcome(error: float | None, *, wrongly: bool | None = False) -> Outcome:
    return Outcome(0, "ours", "verbatim", error, wrongly, 1.0)


def test_shares_are_of_all_quotes() -> None:
    found = [outcome(0.0), outcome(-0.4), outcome(-6.0), outcome(None, wrongly=True)]
    figures = summarise(found)
    assert (figures["found"], figures["within_0.5s"], figures["early_5s"]) == (0.75, 0.5, 0.25)
    assert figures["wrongly_found"] == 0.25


def test_a_quote_that_the_other_recording_says_too_is_no_trap() -> None:
    assert summarise([outcome(0.0, wrongly=None), outcome(0.0)])["wrongly_found"] == 0.0
    assert summarise([outcome(0.0, wrongly=None)])["wrongly_found"] is None


@pytest.mark.parametrize("name", sorted(ALIGNERS))
def test_every_aligner_finds_what_was_said_and_refuses_what_was_not(name: str) -> None:
    quote = "word7 and word8 and word9 and word10 and word11 and"
    found = ALIGNERS[name](quote, Text(TALK))
    assert found is not None
    assert (found.first, found.last) == (14, 23)
    assert ALIGNERS[name]("nobody ever heard such talk before tonight", Text(TALK)) is None


def test_ours_is_right_everywhere_in_plain_talk() -> None:
    quoting = Quoting([TALK, OTHER], ["ours"], seed=1)
    passages = choose([TALK, OTHER], 6, seed=1)
    figures = metrics([o for number, passage in enumerate(passages) for o in quoting.outcomes(number, passage)])
    assert list(figures) == ["ours", "ours@recording"]
    assert figures["ours"]["verbatim"]["within_0.5s"] == 1.0
    assert figures["ours@recording"]["typographic"]["within_0.5s"] == 1.0
    assert figures["ours"]["verbatim"]["wrongly_found"] == 0.0


def test_a_recurrence_counts_as_right() -> None:
    twice = row("so it goes with every mill and every river in this land " * 30)
    found = list(Quoting([twice, OTHER], ["ours"], seed=1).outcomes(0, Passage(0, 120, 24, 100, 200)))
    assert all(o.error == 0.0 for o in found if o.perturbation == "verbatim")


def test_passages_lie_in_their_excerpts_and_start_on_exact_words() -> None:
    for passage in choose([TALK, OTHER], 50, seed=3):
        assert passage.low <= passage.first
        assert passage.first + passage.count <= passage.high <= 600
        assert 15 <= passage.count <= 60
    assert choose([TALK, OTHER], 5, seed=3) == choose([TALK, OTHER], 5, seed=3)
