"""The `Embedder` port's texts, of whatever model an encoder runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from threading import RLock
from typing import cast

import numpy as np
from numpy.typing import NDArray

from qandai.adapters.encoder import Encoder
from qandai.ports import Reading, Vectors


class Encoded(ABC):
    """Nothing is read or built before the first text. Threads share it."""

    tells_words = True

    def __init__(self) -> None:
        self._lock = RLock()

    @property
    def _query_prompt(self) -> str:
        return ""

    @property
    def _passage_prompt(self) -> str:
        return ""

    @abstractmethod
    def _open(self) -> Encoder:
        """Called once. Raises ModelMissing."""

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._ready().encode([self._passage_prompt + text for text in texts])

    def query(self, text: str) -> NDArray[np.float32]:
        return cast("NDArray[np.float32]", self._ready().encode([self._query_prompt + text])[0])

    def read_passages(self, texts: Sequence[str]) -> Sequence[Reading]:
        return self._ready().read(texts, prompt=self._passage_prompt)

    def read_query(self, text: str) -> Reading:
        return self._ready().read([text], prompt=self._query_prompt)[0]

    def overlong(self, texts: Sequence[str]) -> int:
        return self._ready().overlong([self._passage_prompt + text for text in texts])

    def knows(self, word: str) -> bool:
        return self._ready().knows(word)

    def _ready(self) -> Encoder:
        with self._lock:
            return self._encoder

    @cached_property
    def _encoder(self) -> Encoder:
        return self._open()
