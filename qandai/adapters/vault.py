"""Vectors on disk, by model and text, so that nothing is embedded twice: not when a video is cut again, not when a
collection is rebuilt, and not in an evaluation.

    store/vectors/<model>/<video>.vec     {"format", "model", "rows", "dimension", "sha256"} newline keys vectors

A key is a hash of the text. A file that is damaged in any way counts as empty.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qandai.adapters.durable import write_whole
from qandai.errors import ProviderError
from qandai.ports import Embedder, Vectors

CHECKPOINT = 256
"""Texts after which what was embedded is saved, so that a kill costs a few seconds of a long recording."""

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
        path = self._folder / _folder_name(embedder.model) / f"{video_id}.vec"
        rows = _read(path, embedder.model)
        keys = [_key(text) for text in texts]
        wanted = [(key, text) for key, text in dict(zip(keys, texts, strict=True)).items() if key not in rows]
        for begin in range(0, len(wanted), CHECKPOINT):
            some = wanted[begin : begin + CHECKPOINT]
            vectors = embedder.passages([text for _, text in some])
            self._check(vectors, len(some), rows, embedder.model)
            rows.update(zip((key for key, _ in some), vectors, strict=True))
            _write(path, embedder.model, _worth_keeping(keys, rows))
        return np.stack([rows[key] for key in keys])

    def missing(self, embedder: Embedder, video_id: str, texts: Sequence[str]) -> int:
        """How many of the texts would have to be embedded; equal ones count once."""
        rows = _read(self._folder / _folder_name(embedder.model) / f"{video_id}.vec", embedder.model)
        return len({key for text in texts if (key := _key(text)) not in rows})

    def forget(self, video_id: str) -> None:
        """Removes the vectors of a recording, of every model."""
        for path in self._folder.glob(f"*/{video_id}.vec"):
            path.unlink(missing_ok=True)

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


def _worth_keeping(keys: Sequence[bytes], rows: Rows) -> Rows:
    """Those in use, and the youngest of the others: passages of another size, older wordings."""
    used = {key: rows[key] for key in keys if key in rows}
    others = [item for item in rows.items() if item[0] not in used]
    spare = _SPARE * len(keys) + _LEAST_SPARE
    return dict(others[-spare:]) | used


def _write(path: Path, model: str, rows: Rows) -> None:
    vectors = np.stack(list(rows.values())).astype("<f4")
    body = b"".join(rows) + vectors.tobytes()
    header = {
        "format": _FORMAT,
        "model": model,
        "rows": len(rows),
        "dimension": vectors.shape[1],
        "sha256": hashlib.sha256(body).hexdigest(),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(header).encode() + b"\n" + body)


def _read(path: Path, model: str) -> Rows:
    """Empty where there is no sound file for this model."""
    try:
        with path.open("rb") as file:
            header = json.loads(file.readline(_MOST_HEADER_BYTES))
            body = file.read()
        count, dimension = int(header["rows"]), int(header["dimension"])
        sound = (
            header["format"] == _FORMAT
            and header["model"] == model
            and header["sha256"] == hashlib.sha256(body).hexdigest()
            and len(body) == count * (_KEY_BYTES + 4 * dimension)
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    if not sound:
        return {}
    vectors = np.frombuffer(body, "<f4", offset=count * _KEY_BYTES).reshape(count, dimension)
    keys = (body[at : at + _KEY_BYTES] for at in range(0, count * _KEY_BYTES, _KEY_BYTES))
    return dict(zip(keys, vectors, strict=True))
