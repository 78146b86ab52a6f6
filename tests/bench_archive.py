"""An archive of any size, made up from a seed: talks of real words, and vectors that are drawn instead of embedded.

They cost the store and the search what real ones cost, but not the time of a model.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

import numpy as np

from qandai import compose
from qandai.adapters.chroma_store import ChromaStore
from qandai.ensemble import Ensemble, join
from qandai.model import Transcript, Video, Word
from qandai.passages import cut
from qandai.ports import Leaf, Signs, Vectors
from qandai.settings import Settings
from qandai.signs import pack

SEED = 11
SLUG = "bench"

SHORT, LONG = 90, 540
"""Sentences of a recording of about ten minutes, and of an hour: each is put into the store in one call."""

_CLUSTERS = 200


def prepare(home: Path) -> Settings:
    """A person whose file names no embedder."""
    (home / "people").mkdir(exist_ok=True)
    (home / "people" / f"{SLUG}.yaml").write_text("name: Bench\nsuggested_questions: []\n", encoding="utf-8")
    return Settings.read({}, home=home)


def ensemble(settings: Settings, embedders: compose.Embedders) -> Ensemble:
    return embedders.of(compose.people(settings).get(SLUG))


def vocabulary(models: Path) -> list[str]:
    """Whole words from the model's own tokenizer: real ones, so that a text has as many tokens as speech has."""
    (path,) = models.glob("minilm-????????/tokenizer.json")
    known = json.loads(path.read_text(encoding="utf-8"))["model"]["vocab"]
    return [word for word in known if word.isascii() and word.isalpha() and len(word) > 2][:8000]


def talks(words: list[str], sentences: int) -> Iterator[Transcript]:
    """Endless recordings whose words are as uneven as in speech."""
    chance = random.Random(SEED)
    weights = tuple(accumulate(1 / (rank + 2) for rank in range(len(words))))
    number = 0
    while True:
        spoken: list[Word] = []
        at = 0.0
        for _ in range(sentences):
            said = chance.choices(words, cum_weights=weights, k=chance.randint(5, 24))
            for place, text in enumerate(said):
                length = chance.randint(80, 600) / 1000
                shown = text.capitalize() if place == 0 else f"{text}." if place == len(said) - 1 else text
                spoken.append(Word(shown, round(at, 3), round(at + length, 3)))
                at += length + chance.choice([0, 0, 0, 0.04, 0.2])
            at += chance.choice([0.2, 0.5, 1.1])
        video = Video(
            f"talk{number:05d}",
            f"Talk {number}",
            "audio",
            f"audio/bench/talk{number:05d}.m4a",
            f"20{10 + number % 15}-05-17",
            round(at, 2),
            language="en",
        )
        yield Transcript(video, tuple(spoken))
        number += 1


class Drawn:
    """Vectors as the models of an ensemble make them: in clusters, each model's of length 1, side by side."""

    def __init__(self, models: Ensemble) -> None:
        self._chance = np.random.default_rng(SEED)
        self._centres = [self._chance.normal(size=(_CLUSTERS, model.dimension)).astype(np.float32) for model in models]

    def vectors(self, count: int) -> Vectors:
        cluster = self._chance.integers(_CLUSTERS, size=count)
        return join([self._near(centres[cluster]) for centres in self._centres])

    def signs(self, count: int) -> Signs:
        """Of so many words."""
        return np.concatenate(
            [pack(self._near(centres[:1].repeat(count, axis=0))) for centres in self._centres], axis=1
        )

    def _near(self, centres: Vectors) -> Vectors:
        vectors = centres + 0.7 * self._chance.normal(size=centres.shape).astype(np.float32)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def index_drawn(settings: Settings, size: int, words: list[str], models: Ensemble) -> float:
    """Writes `size` passages with drawn vectors. Seconds that the store took."""
    drawn = Drawn(models)
    recipe = compose.recipe(settings, models)
    spent = 0.0
    began = time.perf_counter()
    with ChromaStore(settings.store).writing(SLUG, recipe, rebuild=True) as writer:
        spent += time.perf_counter() - began
        for talk in talks(words, LONG):
            passages = cut(talk.row, chars=settings.passage_chars)[: size - writer.passages]
            leaves = [
                Leaf(p.span, p.sentences, drawn.vectors(len(p.sentences)), drawn.signs(len(p.span.text.split())))
                for p in passages
            ]
            vectors = drawn.vectors(len(passages))
            began = time.perf_counter()
            writer.put(leaves, vectors, fingerprint="drawn")
            spent += time.perf_counter() - began
            if writer.passages >= size:
                break
        began = time.perf_counter()
        writer.commit()
    return spent + time.perf_counter() - began
