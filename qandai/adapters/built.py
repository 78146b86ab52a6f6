"""Models that are built once from the weights in a package, and kept below the store.

store/models/<name>/…             the files, and built.json with their SHA-256
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock


def ensure(folder: Path, *, version: int, build: Callable[[Path], None]) -> None:
    """Has `build` write the model's files into a new folder, unless this version of it stands in `folder` unharmed.

    Several processes may want it first: one builds, the others wait. A kill leaves nothing that counts as built.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if is_built(folder, version=version):
            return
        for left_behind in folder.parent.glob(f"{folder.name}.part-*"):
            shutil.rmtree(left_behind, ignore_errors=True)
        part = folder.with_name(f"{folder.name}.part-{secrets.token_hex(4)}")
        part.mkdir(parents=True)
        build(part)
        made = {"graph": version, "files": {path.name: sha256(path) for path in part.iterdir()}}
        (part / "built.json").write_text(json.dumps(made), encoding="utf-8")
        for path in part.iterdir():
            with path.open("rb") as file:
                os.fsync(file.fileno())
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)


def is_built(folder: Path, *, version: int) -> bool:
    """Whether the folder holds a whole model that this version built."""
    try:
        made = json.loads((folder / "built.json").read_bytes())
        return bool(made["graph"] == version and made["files"]) and all(
            sha256(folder / name) == sha for name, sha in made["files"].items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
