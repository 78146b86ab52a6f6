"""Questions embedded once: an embedder that knows the vectors of a run's questions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from qandai.ensemble import Ensemble
from qandai.ports import Calibration, Embedder, Vault, Vectors


class Known:
    """The `Embedder` port; texts of `queries` are looked up, all others embedded."""

    def __init__(self, embedder: Embedder, queries: Mapping[str, NDArray[np.float32]]) -> None:
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

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.passages(texts)

    def query(self, text: str) -> NDArray[np.float32]:
        known = self._queries.get(text)
        return self._embedder.query(text) if known is None else known

    def overlong(self, texts: Sequence[str]) -> int:
        return self._embedder.overlong(texts)

    def knows(self, word: str) -> bool:
        return self._embedder.knows(word)


class _AsQueries:
    """An embedder whose passages are queries, so that the cache of passages keeps them."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.model = f"{embedder.model} queries"
        self.dimension = embedder.dimension
        self.calibration = embedder.calibration

    def passages(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._embedder.query(text) for text in texts]).astype(np.float32)

    def query(self, text: str) -> NDArray[np.float32]:
        return self._embedder.query(text)

    def overlong(self, texts: Sequence[str]) -> int:
        return self._embedder.overlong(texts)

    def knows(self, word: str) -> bool:
        return self._embedder.knows(word)


def known(embedders: Ensemble, texts: Sequence[str], vault: Vault) -> Ensemble:
    """Embeds what the cache does not hold yet. Raises ProviderError."""
    return tuple(_known(embedder, texts, vault) for embedder in embedders)


def _known(embedder: Embedder, texts: Sequence[str], vault: Vault) -> Known:
    if not texts:
        return Known(embedder, {})
    name = "questions-" + hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]
    vectors = vault.passages(_AsQueries(embedder), name, texts)
    return Known(embedder, dict(zip(texts, vectors, strict=True)))
