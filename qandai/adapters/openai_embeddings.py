"""`openai:<model>`: embeddings from any server that speaks OpenAI's interface."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from threading import Lock
from typing import Annotated, cast
from urllib.parse import urlsplit

import httpx
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, ValidationError

from qandai.errors import ProviderError
from qandai.ports import Calibration, Reading, Vectors

OPENAI = "https://api.openai.com/v1"
FLOOR = 0.30

BATCH = 128
"""Texts a request. Servers take 2048, but a failed request should not cost much to repeat."""

ATTEMPTS = 4
MOST_WAIT = 60.0
"""Seconds: a server that asks for more patience is unavailable."""

_MOST_BYTES = 64 * 1024 * 1024
_MOST_CHARS = 20_000  # a text; servers refuse what is longer than their model reads


class _Row(BaseModel):
    index: Annotated[int, Field(ge=0)]
    embedding: Annotated[list[float], Field(min_length=1, max_length=16_384)]


class _Reply(BaseModel):
    data: list[_Row]


class OpenAiEmbedder:
    """The `Embedder` port. `sleep` takes seconds."""

    calibration = Calibration(floor=FLOOR)
    tells_words = False

    def __init__(
        self,
        name: str,
        *,
        base_url: str = OPENAI,
        key: str | None = None,
        timeout: float = 30.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._name = name
        self._url = f"{base_url.rstrip('/')}/embeddings"
        self._host = urlsplit(base_url).netloc.rpartition("@")[2]
        self._at_openai = base_url.rstrip("/") == OPENAI
        self._key = key
        self._timeout = timeout
        self._sleep = sleep
        self._lock = Lock()

    @property
    def model(self) -> str:
        """Two servers may call different weights by one name, so the server is part of it."""
        return f"openai-{self._name}" if self._at_openai else f"openai-{self._name}@{self._host}"

    @property
    def dimension(self) -> int:
        """Known from the first vector, which this may ask for."""
        with self._lock:
            return self._dimension

    def passages(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        batches = [self._embed(texts[begin : begin + BATCH]) for begin in range(0, len(texts), BATCH)]
        if len({batch.shape[1] for batch in batches}) > 1:
            raise self._error("changed the length of its vectors between two requests")
        return np.concatenate(batches)

    def query(self, text: str) -> NDArray[np.float32]:
        return cast("NDArray[np.float32]", self._embed([text])[0])

    def read_passages(self, texts: Sequence[str]) -> Sequence[Reading]:
        return [_whole(vector) for vector in self.passages(texts)]

    def read_query(self, text: str) -> Reading:
        return _whole(self.query(text))

    def overlong(self, texts: Sequence[str]) -> int:
        return 0  # only the server knows

    def knows(self, word: str) -> bool:
        return True  # so nothing is put right that may have been meant

    @cached_property
    def _dimension(self) -> int:
        return int(self._embed(["a"]).shape[1])

    @cached_property
    def _client(self) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        return httpx.Client(headers=headers, timeout=self._timeout)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        given = [text[:_MOST_CHARS] or " " for text in texts]  # an empty text is refused
        raw = self._post({"model": self._name, "input": given, "encoding_format": "float"})
        try:
            rows = sorted(_Reply.model_validate_json(raw).data, key=lambda row: row.index)
        except ValidationError as exc:
            raise self._error("sent something else than embeddings") from exc
        if [row.index for row in rows] != list(range(len(texts))):
            raise self._error(f"sent {len(rows)} vectors for {len(texts)} texts")
        if len({len(row.embedding) for row in rows}) > 1:
            raise self._error("sent vectors of different lengths")
        vectors = np.array([row.embedding for row in rows], np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.all(np.isfinite(lengths)) or not np.all(lengths > 0):
            raise self._error("sent a vector that is not a direction")
        return cast(Vectors, vectors / lengths)

    def _post(self, body: dict[str, object]) -> bytes:
        for pause in (*self._pauses(), None):
            try:
                status, headers, content = self._send(body)
            except httpx.TransportError as exc:
                if pause is None:
                    raise self._error(
                        f"cannot be reached ({type(exc).__name__})"
                    ) from None  # a cause could hold the key
                self._sleep(pause)
                continue
            if status == 200:
                return content
            wait = _retry_after(headers.get("retry-after"))
            retriable = status in (408, 409, 429) or status >= 500
            if not retriable or pause is None or (wait is not None and wait > MOST_WAIT):
                raise self._refusal(status, content, wait)
            self._sleep(pause if wait is None else wait)
        raise AssertionError("the last attempt returns or raises")

    @staticmethod
    def _pauses() -> Iterator[float]:
        return (0.5 * 4.0**attempt for attempt in range(ATTEMPTS - 1))

    def _send(self, body: dict[str, object]) -> tuple[int, httpx.Headers, bytes]:
        with self._client.stream("POST", self._url, json=body) as response:
            content = bytearray()
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > _MOST_BYTES:
                    raise self._error("sent more than 64 MB")
            return response.status_code, response.headers, bytes(content)

    def _refusal(self, status: int, content: bytes, wait: float | None) -> ProviderError:
        said = self._without_key(content[:300].decode("utf-8", "replace").strip())
        match status:
            case 401 | 403:
                return self._error("refused the key", hint="Check OPENAI_API_KEY.")
            case 404:
                return self._error(f"knows no model {self._name!r}", hint="Check `embedding:` in the person file.")
            case 429:
                when = f"in {wait:.0f} s" if wait is not None else "later"
                return self._error("asks for patience", hint=f"Try again {when}.")
        return self._error(f"answered {status}: {said}")

    def _error(self, what: str, *, hint: str = "") -> ProviderError:
        return ProviderError(f"The embedding server {self._host} {what}.", hint=hint)

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "…") if self._key else text


def _retry_after(value: str | None) -> float | None:
    """Seconds; None if the server named none, or a date, which our clock may not share."""
    try:
        return max(0.0, float(value)) if value else None
    except ValueError:
        return None


def _whole(vector: NDArray[np.float32]) -> Reading:
    """Services do not tell words apart."""
    return Reading(vector, np.zeros((0, len(vector)), np.float32))
