"""Vectors on disk, by model and text, so that nothing is embedded twice: not when a video is cut again, not when a
collection is rebuilt, and not in an evaluation.

    store/vectors/<model>/<video>.vec     {"format", "model", "rows", "dimension", "sha256"} newline keys vectors
    store/vectors/<model>/<video>.words   {… "reading", "rows", "width", "sha256"} newline keys counts signs

A key is a hash of the text. A count is that of its words, in four bytes; each word has `width` bytes of signs. A file
that is damaged in any way counts as empty.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from qandai.adapters.durable import write_whole
from qandai.errors import ProviderError
from qandai.ports import Embedder, Signs, Vectors
from qandai.signs import pack

_T = TypeVar("_T")

CHECKPOINT = 256
"""Texts after which what was embedded is saved, so that a kill costs a few seconds of a long recording."""

READING = 2
"""Counts up, with the FORMAT of `records`, when other words would be read of the same text or other signs made of them:
by `Encoder.read` and what people say there, the turning of `signs`, `word_places`, or the places of a tokenizer. A
model's name knows nothing of them."""

_AT_A_TIME = 32
"""Texts whose words are in memory at once, at four bytes a number: 100 MB where each has a thousand words."""

_FORMAT = 1
_KEY_BYTES = 16
_MOST_HEADER_BYTES = 4096
_SPARE = 4  # rows kept beside each one in use
_LEAST_SPARE = 1000
_ABANDONED = 3600.0  # seconds; no write takes that long

Rows = dict[bytes, NDArray[np.float32]]
"""Vectors by key, the youngest last."""


class VectorVault:
    """The `Vault` port over a folder. Several processes may use it: the last to write a video's file wins, and what
    the other had added is embedded again when it is next wanted."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for path in folder.glob("*/.*"):  # what a killed writer left behind
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > _ABANDONED:
                    path.unlink()

    def passages(self, embedder: Embedder, video_id: str, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, embedder.dimension), np.float32)
        path, _ = self._paths(embedder.model, video_id)
        rows = _read(path, embedder.model)
        keys = [_key(text) for text in texts]
        wanted = [(key, text) for key, text in dict(zip(keys, texts, strict=True)).items() if key not in rows]
        if not wanted and len(kept := _worth_keeping(keys, rows)) < len(rows):
            _write(path, embedder.model, kept)
        for begin in range(0, len(wanted), CHECKPOINT):
            some = wanted[begin : begin + CHECKPOINT]
            vectors = embedder.passages([text for _, text in some])
            self._check(vectors, len(some), rows, embedder.model)
            rows.update(zip((key for key, _ in some), vectors, strict=True))
            _write(path, embedder.model, _worth_keeping(keys, rows))
        return np.stack([rows[key] for key in keys])

    def signs(self, embedder: Embedder, video_id: str, texts: Sequence[str]) -> Sequence[Signs]:
        if not embedder.tells_words:
            return [np.zeros((0, 0), np.uint8) for _ in texts]
        model = embedder.model
        vectors, words = self._paths(model, video_id)
        rows, known = _read(vectors, model), _read_signs(words, model)
        keys = [_key(text) for text in texts]
        wanted = [(key, text) for key, text in dict(zip(keys, texts, strict=True)).items() if key not in known]
        for begin in range(0, len(wanted), CHECKPOINT):
            some = wanted[begin : begin + CHECKPOINT]
            for at in range(0, len(some), _AT_A_TIME):
                self._read(embedder, some[at : at + _AT_A_TIME], rows, known)
            _write(vectors, model, rows)  # which of them are still in use `passages` is told, not this
            _write_signs(words, model, _worth_keeping(keys, known))
        return [known[key] for key in keys]

    def _read(
        self, embedder: Embedder, some: Sequence[tuple[bytes, str]], rows: Rows, known: dict[bytes, Signs]
    ) -> None:
        read = embedder.read_passages([text for _, text in some])
        self._check(np.array([reading.vector for reading in read]), len(some), rows, embedder.model)
        for (key, _), reading in zip(some, read, strict=True):
            rows[key] = reading.vector
            known[key] = pack(reading.words)

    def missing(self, embedder: Embedder, video_id: str, texts: Sequence[str], *, by_words: Sequence[str] = ()) -> int:
        """How many would have to be embedded, of the texts or word by word; equal ones count once."""
        vectors, words = self._paths(embedder.model, video_id)
        rows, known = _read(vectors, embedder.model), _read_signs(words, embedder.model)
        lacking = {key for text in texts if (key := _key(text)) not in rows}
        if not embedder.tells_words:
            return len(lacking | {key for text in by_words if (key := _key(text)) not in rows})
        return len(lacking | {key for text in by_words if (key := _key(text)) not in known})

    def forget(self, video_id: str) -> None:
        """Removes the vectors of a recording, of every model."""
        for ending in ("vec", "words"):
            for path in self._folder.glob(f"*/{video_id}.{ending}"):
                path.unlink(missing_ok=True)

    def _paths(self, model: str, video_id: str) -> tuple[Path, Path]:
        """Of the vectors, and of the signs."""
        folder = self._folder / _folder_name(model)
        return folder / f"{video_id}.vec", folder / f"{video_id}.words"

    def _check(self, vectors: Vectors, count: int, rows: Rows, model: str) -> None:
        if vectors.ndim != 2 or len(vectors) != count or not np.all(np.isfinite(vectors)):
            raise ProviderError(f"The embedder {model} made vectors that cannot be used.")
        for known in rows.values():
            if len(known) != vectors.shape[1]:
                raise ProviderError(
                    f"The embedder {model} makes {vectors.shape[1]} numbers a vector, but made {len(known)} before.",
                    hint=f"If that is meant, delete {self._folder / _folder_name(model)} and index with --rebuild.",
                )
            return


def _folder_name(model: str) -> str:
    """Readable, safe on every disk, and different for every model."""
    readable = re.sub(r"[^A-Za-z0-9.-]+", "-", model).strip("-.")[:60]
    return f"{readable}-{hashlib.blake2s(model.encode(), digest_size=4).hexdigest()}"


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest()


def _worth_keeping(keys: Sequence[bytes], rows: dict[bytes, _T]) -> dict[bytes, _T]:
    """Those in use, and the youngest of the others: passages of another size, older wordings."""
    used = {key: rows[key] for key in keys if key in rows}
    others = [item for item in rows.items() if item[0] not in used]
    spare = _SPARE * len(keys) + _LEAST_SPARE
    return dict(others[-spare:]) | used


def _write(path: Path, model: str, rows: Rows) -> None:
    vectors = np.stack(list(rows.values())).astype("<f4")
    said = {"model": model, "rows": len(rows), "dimension": vectors.shape[1]}
    _seal(path, said, b"".join(rows) + vectors.tobytes())


def _read(path: Path, model: str) -> Rows:
    """Empty where there is no sound file for this model."""
    try:
        header, body = _opened(path)
        count, dimension = int(header["rows"]), int(header["dimension"])
        if header["model"] != model or len(body) != count * (_KEY_BYTES + 4 * dimension):
            return {}
        vectors = np.frombuffer(body, "<f4", offset=count * _KEY_BYTES).reshape(count, dimension)
        return dict(zip(_keys(body, count), vectors, strict=True))
    except _UNSOUND:
        return {}


def _write_signs(path: Path, model: str, known: Mapping[bytes, Signs]) -> None:
    counts = np.array([len(signs) for signs in known.values()], "<u4")
    said = {
        "model": model,
        "reading": READING,
        "rows": len(known),
        "width": max(signs.shape[1] for signs in known.values()),
    }
    _seal(path, said, b"".join([*known, counts.tobytes(), *(signs.tobytes() for signs in known.values())]))


def _read_signs(path: Path, model: str) -> dict[bytes, Signs]:
    """Empty where there is no sound file for this model."""
    try:
        header, body = _opened(path)
        rows, width = int(header["rows"]), int(header["width"])
        counts = np.frombuffer(body, "<u4", count=rows, offset=rows * _KEY_BYTES)
        packed = np.frombuffer(body, np.uint8, offset=rows * (_KEY_BYTES + 4)).reshape(int(counts.sum()), width)
        if header["model"] != model or header["reading"] != READING:
            return {}
        return dict(zip(_keys(body, rows), np.split(packed, np.cumsum(counts)[:-1]), strict=True))
    except _UNSOUND:
        return {}


_UNSOUND = (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError)


def _seal(path: Path, said: Mapping[str, object], body: bytes) -> None:
    header = {"format": _FORMAT, **said, "sha256": hashlib.sha256(body).hexdigest()}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(header).encode() + b"\n" + body)


def _opened(path: Path) -> tuple[Mapping[str, Any], bytes]:
    """Header and body of a sound file. Raises one of `_UNSOUND`."""
    with path.open("rb") as file:
        header = json.loads(file.readline(_MOST_HEADER_BYTES))
        body = file.read()
    if header["format"] != _FORMAT or header["sha256"] != hashlib.sha256(body).hexdigest():
        raise ValueError("not a sound file")
    return header, body


def _keys(body: bytes, count: int) -> list[bytes]:
    return [body[at : at + _KEY_BYTES] for at in range(0, count * _KEY_BYTES, _KEY_BYTES)]
