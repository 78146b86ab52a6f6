"""One small site in memory: Ann, who talks, and what she said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from qandai.model import Person, Span, Video
from qandai.settings import Settings
from qandai.site import Site
from qandai.web.app import create_app
from tests.build import AUDIO, row
from tests.fakes import MemoryPeople, MemoryShelf, MemoryShelves, WordAsker

ANN = Person("ann", "Ann Archer", tagline="Talks of bees", suggested_questions=("How do bees dance?",))
TUBE = Video("tube", "A filmed talk", "youtube", "https://www.youtube.com/watch?v=dQw4w9WgXcQ", "2026-04-01", 90.0)
MUTE = Video("mute", "A talk in writing", published="2025-01-01")

BEES = "Bees dance to tell the others where flowers grow. The dance is a figure of eight."
HONEY = "Honey keeps for thousands of years because it holds hardly any water."
FILM = "On film the waggle dance looks slower than it really is."
NOTE = "A written note about winter clusters that nobody recorded."


def passages() -> list[Span]:
    talk = row(f"{BEES} {HONEY}", video=AUDIO, at=10.0)
    border = len(BEES.split())
    return [
        talk.span(0, border - 1),
        talk.span(border, talk.last),
        row(FILM, video=TUBE, at=12.4).whole(),
        row(NOTE, video=MUTE).whole(),
    ]


@dataclass(frozen=True, slots=True)
class Bench:
    """A site and the parts that a test looks at."""

    client: FlaskClient
    asker: WordAsker
    shelves: MemoryShelves


@pytest.fixture
def home(tmp_path: Path) -> Path:
    audio = tmp_path / "audio" / "ann"
    audio.mkdir(parents=True)
    (audio / "talk1.m4a").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "people").mkdir()
    return tmp_path


@pytest.fixture
def bench(home: Path) -> Callable[..., Bench]:
    def build(
        people: MemoryPeople | None = None,
        spans: list[Span] | None = None,
        shelves: MemoryShelves | None = None,
        asker: WordAsker | None = None,
        slug: str = "ann",
        **settings: Any,
    ) -> Bench:
        shelves = shelves or MemoryShelves({slug: MemoryShelf(*(passages() if spans is None else spans))})
        asker = asker or WordAsker(shelves)
        people = people or MemoryPeople(replace(ANN, slug=slug))
        limits = {"limit_visitor": 0, "limit_site": 0} | settings
        site = Site(asker, shelves, people, Settings(home=home, **limits))
        app = create_app(site, request_ids=lambda: "made-by-the-site")
        return Bench(app.test_client(), asker, shelves)

    return build


@pytest.fixture
def client(bench: Callable[..., Bench]) -> FlaskClient:
    return bench().client
