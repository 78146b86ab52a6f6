"""Files that are whole whenever they are read, also after a power cut."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

_MEGABYTE = 1024 * 1024


def write_whole(path: Path, content: bytes) -> None:
    """A reader, also after a power cut, sees the old file or the new one, whole."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    flush_folder(path.parent)


def flush_folder(folder: Path) -> None:
    """Makes new and renamed entries last."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def can_grow(folder: Path) -> bool:
    """Whether the largest file in the folder could be a megabyte longer: tried, since those who write for us hide why
    they failed."""
    largest = max((path.stat().st_size for path in folder.rglob("*") if path.is_file()), default=0)
    probe = folder / f".probe.{secrets.token_hex(4)}"
    try:
        with probe.open("wb", buffering=0) as file:
            file.write(bytes(_MEGABYTE))
            file.seek(largest + _MEGABYTE)
            file.write(b"\0")
            os.fsync(file.fileno())
    except OSError:
        return False
    finally:
        probe.unlink(missing_ok=True)
    return True
