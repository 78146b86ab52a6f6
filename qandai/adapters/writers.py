"""One writer a person: a lock that the operating system lets go of when its holder dies, and who that is.

A claim (writer.json) without a lock is what a killed writer left behind.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from qandai.adapters.durable import write_whole
from qandai.errors import StoreLocked


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that writes to a person's collection now."""

    pid: int
    command: str
    since: str


@contextmanager
def lock(folder: Path, command: str, *, now: Callable[[], datetime]) -> Iterator[None]:
    """Raises StoreLocked, naming the first writer."""
    folder.mkdir(parents=True, exist_ok=True)
    held = _lock(folder)
    try:
        held.acquire(timeout=1)  # a moment's patience: `holder` takes the lock for an instant to look
    except Timeout as exc:
        first = _claim(folder)
        by = f" by `{first.command}` (process {first.pid}, since {first.since})" if first else ""
        raise StoreLocked(f"{folder.name} is being written{by}.", hint="Try again when that has ended.") from exc
    try:
        claim = Holder(os.getpid(), command, now().isoformat(timespec="seconds"))
        write_whole(folder / "writer.json", json.dumps(asdict(claim)).encode())
        yield
    finally:
        (folder / "writer.json").unlink(missing_ok=True)
        held.release()


def holder(folder: Path) -> Holder | None:
    """Who writes now, or None."""
    claim = _claim(folder)
    if claim is None:
        return None
    probe = _lock(folder)
    try:
        probe.acquire(timeout=0)
    except Timeout:
        return claim
    probe.release()
    return None


def _lock(folder: Path) -> FileLock:
    return FileLock(folder / "lock", thread_local=False)


def _claim(folder: Path) -> Holder | None:
    try:
        claim = json.loads((folder / "writer.json").read_bytes())
        return Holder(int(claim["pid"]), str(claim["command"]), str(claim["since"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
