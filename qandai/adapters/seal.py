"""What a finished generation weighs, so that damage is found before Chroma touches it: on a cut vector file its C++
core does not raise an error, it ends the process.

    <generation>/seal.json      {"files": {path: {"bytes", "sha256"}}}

The database is written to a little whenever it is opened, so only its least size is kept; SQLite checks the rest.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

NAME = "seal.json"
_DATABASE = ".sqlite3"
_MOST_BYTES = 1_000_000


def seal(folder: Path) -> None:
    files = {
        path.relative_to(folder).as_posix(): {
            "bytes": path.stat().st_size,
            "sha256": None if path.suffix == _DATABASE else _sha256(path),
        }
        for path in _files(folder)
    }
    (folder / NAME).write_text(json.dumps({"files": files}), encoding="utf-8")


def fault(folder: Path) -> str | None:
    """What is wrong with a sealed folder, or None."""
    try:
        with (folder / NAME).open("rb") as file:
            sealed = json.loads(file.read(_MOST_BYTES))["files"]
        for name, kept in sealed.items():
            path = folder / name
            size = path.stat().st_size
            if size < kept["bytes"] or (kept["sha256"] is not None and size != kept["bytes"]):
                return f"{name} holds {size:,} of {kept['bytes']:,} bytes"
            if kept["sha256"] is not None and _sha256(path) != kept["sha256"]:
                return f"{name} was changed"
    except OSError as exc:
        return f"{Path(str(exc.filename)).name} cannot be read ({exc.strerror})"
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return f"{NAME} is damaged"
    return None


def copy(folder: Path, into: Path) -> None:
    """Copies what was sealed, but not the seal. Somebody may be opening the database meanwhile, so SQLite copies it.

    Raises OSError; sqlite3.Error for a database that is none.
    """
    for path in _files(folder):
        target = into / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == _DATABASE:
            with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as copied:
                source.backup(copied)
        else:
            shutil.copyfile(path, target)


def _files(folder: Path) -> Iterator[Path]:
    return (
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != NAME and not path.name.endswith(("-journal", "-wal", "-shm"))
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
