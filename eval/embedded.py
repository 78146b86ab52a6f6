"""Questions embedded once: an embedder that knows what its model made of a run's questions."""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qandai.adapters.durable import write_whole
from qandai.adapters.vault import READING
from qandai.ensemble import Ensemble
from qandai.ports import Calibration, Embedder, Reading, Vectors

CHECKPOINT = 256
"""Questions a file, so that a failure costs no more than these."""


class Known:
    """The `Embedder` port; texts of `queries` are looked up, all others embedded."""

    def __init__(self, embedder: Embedder, queries: Mapping[str, Reading]) -> None:
        self._embedder = embedder
        self._queries = queries

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    @property
    def calibration(self) -> Calibration:
        return self._embedder.calibration

    @property
    def tells_words(self) -> bool:
        return self._embedder.tells_words

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.passages(texts)

    def query(self, text: str) -> NDArray[np.float32]:
        return self.read_query(text).vector

    def read_passages(self, texts: Sequence[str]) -> Sequence[Reading]:
        return self._embedder.read_passages(texts)

    def read_query(self, text: str) -> Reading:
        known = self._queries.get(text)
        return self._embedder.read_query(text) if known is None else known

    def overlong(self, texts: Sequence[str]) -> int:
        return self._embedder.overlong(texts)

    def knows(self, word: str) -> bool:
        return self._embedder.knows(word)


def known(embedders: Ensemble, texts: Sequence[str], folder: Path) -> Ensemble:
    """Reads what `folder` does not hold yet. The folder may be deleted at any time. Raises ProviderError."""
    return tuple(_known(embedder, texts, folder) for embedder in embedders)


def _known(embedder: Embedder, texts: Sequence[str], folder: Path) -> Known:
    parts = [texts[begin : begin + CHECKPOINT] for begin in range(0, len(texts), CHECKPOINT)]
    readings = [reading for part in parts for reading in _readings(embedder, part, folder)]
    return Known(embedder, dict(zip(texts, readings, strict=True)))


def _readings(embedder: Embedder, texts: Sequence[str], folder: Path) -> list[Reading]:
    name = hashlib.sha256("\n".join([embedder.model, str(READING), *texts]).encode()).hexdigest()[:16]
    path = folder / f"{name}.npz"
    readings = _read(path, len(texts))
    if readings is None:
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            readings = list(threads.map(embedder.read_query, texts))
        _write(path, readings)
    return readings


def _write(path: Path, readings: Sequence[Reading]) -> None:
    content = io.BytesIO()
    np.savez(
        content,
        vectors=np.stack([reading.vector for reading in readings]),
        words=np.concatenate([reading.words for reading in readings]),
        counts=np.array([len(reading.words) for reading in readings]),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content.getvalue())


def _read(path: Path, count: int) -> list[Reading] | None:
    """None where there is no sound file."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as kept:
            words = np.split(kept["words"], np.cumsum(kept["counts"])[:-1])
            vectors = kept["vectors"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    return list(map(Reading, vectors, words)) if len(vectors) == len(words) == count else None
