"""An asker whose archive is in memory and whose language models are those of some settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from qandai import compose
from qandai.answering.extractive import ExtractiveSelector
from qandai.ask import Asker
from qandai.model import Person
from qandai.ports import Calibration
from qandai.settings import Settings
from tests.fakes import BagOfWordsEmbedder, MemoryPeople, MemoryShelves

EMBEDDER = BagOfWordsEmbedder(dimension=512)
"""What archives here are embedded with."""


@contextmanager
def asking(
    person: Person, shelves: MemoryShelves, settings: Settings, *, calibration: Calibration = EMBEDDER.calibration
) -> Iterator[Asker]:
    made = Asker(
        MemoryPeople(person),
        shelves,
        embedders_for=lambda _: (EMBEDDER,),
        selector_for=lambda _: ExtractiveSelector(calibration),
        models=compose.models(settings),
    )
    with closing(made):
        yield made
