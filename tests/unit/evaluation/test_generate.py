from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from eval.data import Data
from eval.generate import Entry, Maker, candidates, make, read
from eval.questions import read_questions
from qandai.errors import ProviderError, QandaiError, UsageError
from qandai.model import Excerpt
from tests.build import row, talk
from tests.fakes import ScriptedLlm

PASSAGE = row("I sold the boat in spring because the harbour wanted twice the rent", at=100.0).whole()
GOOD = json.dumps({"question": "Why did you give up sailing?", "answer": "because the harbour wanted twice the rent"})
NEAR = json.dumps({"question": "What did the new owner pay you?"})


def maker(*replies: str | QandaiError) -> Maker:
    def search(question: str) -> Sequence[Excerpt]:
        return ()

    return Maker(ScriptedLlm(*replies), "en", search)


def archive(*names: str) -> Data:
    sentence = "Here we speak at some length of sails and ropes and of everything else that belongs to a boat."
    transcripts = tuple(talk(name, *[f"{sentence} And of number {at}." for at in range(20)]) for name in names)
    return Data("sea", transcripts, (), "en", {}, (), "")


def test_a_question_stands_with_the_seconds_of_its_answer(tmp_path: Path) -> None:
    entry = maker(GOOD).question(PASSAGE)
    assert entry is not None
    (tmp_path / "asked.jsonl").write_text(json.dumps(entry))
    (asked,) = read_questions(tmp_path / "asked.jsonl")
    (moment,) = asked.moments
    assert (moment.video_id, moment.start, moment.answer, moment.end) == ("talk1", 100.0, 103.0, 106.5)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ('{"question": "", "answer": ""}', "nothing to ask"),
        (GOOD.replace("twice the rent", "a new captain and a crew of nine"), "answer that was never said"),
        ("I cannot do that.", "reply that cannot be used"),
    ],
)
def test_a_bad_question_is_refused_and_counted(reply: str, reason: str) -> None:
    made = maker(reply)
    assert made.question(PASSAGE) is None
    assert dict(made.refused) == {reason: 1}


def test_a_near_miss_is_one_that_nothing_found_answers() -> None:
    entry = maker(NEAR, '{"answered": false}').near_miss(PASSAGE)
    assert entry is not None
    assert (entry["answerable"], "start" in entry) == (False, False)
    made = maker(NEAR, '{"answered": true}')
    assert made.near_miss(PASSAGE) is None
    assert dict(made.refused) == {"near miss that is answered": 1}


def test_a_provider_that_stays_away_ends_it() -> None:
    made = maker(ProviderError("503"))
    for _ in range(4):
        assert made.question(PASSAGE) is None
    with pytest.raises(ProviderError, match="goes on later"):
        made.question(PASSAGE)
    assert made.refused["lost to the provider"] == 5


def test_passages_are_spread_over_the_recordings_and_the_same_for_a_seed() -> None:
    data = archive("one", "two", "three")
    chosen = candidates(data, 7)
    assert {passage.video.id for passage in chosen[:3]} == {"one", "two", "three"}
    assert [passage.id for passage in chosen] == [passage.id for passage in candidates(data, 7)]
    assert [passage.id for passage in chosen] != [passage.id for passage in candidates(data, 8)]


def test_it_goes_on_where_it_stopped_and_asks_nothing_twice() -> None:
    passages = candidates(archive("one", "two"), 0)
    tried: list[str] = []

    def invent(passage: object) -> Entry:
        tried.append(str(passage))
        return {"question": f"What about {len(tried) // 2}?"}  # every second one repeats the one before

    done: dict[str, Entry] = {}
    assert len(list(make(passages, invent, "asked", 3, done))) == 3
    assert len({entry["question"] for entry in done.values()}) == 3
    before = len(tried)
    assert len(list(make(passages, invent, "asked", 4, done))) == 1
    assert len(tried) > before
    assert list(make(passages, invent, "asked", 4, done)) == []


def test_a_file_that_holds_no_questions_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text("hello")
    with pytest.raises(UsageError, match="no file of questions"):
        read(tmp_path / "out.jsonl")
    assert read(tmp_path / "none.jsonl") == {}
