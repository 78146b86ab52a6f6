"""The folder of one person's collection: generations, the pointer to the one that is read, and the writer's lock.

    store/<person>/lock                 held by the operating system while somebody writes
    store/<person>/writer.json          who that is, for the one who is refused
    store/<person>/current.json         the pointer: which generation is read, and how much it must hold
    store/<person>/g000012-3f9a1c/      a generation; never changed once the pointer has named it
    store/<person>/part-5d02b7/         one in the making; swept by the next writer if this one was killed

Nothing here knows what a generation holds.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

from qandai.adapters import writers
from qandai.adapters.durable import flush_folder
from qandai.adapters.durable import write_whole as write_whole  # other adapters take it from here
from qandai.adapters.seal import copy, fault, seal
from qandai.adapters.writers import Holder
from qandai.errors import DiskFull, StoreBroken

MARGIN = 64 * 1024 * 1024
"""Bytes that must stay free beside the copy: what is added to it, and the pointer."""

GRACE = 60.0
"""Seconds for which a generation outlives its second successor, so that a reader who is opening it can finish."""

_MOST_POINTER_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Pointer:
    """`number` counts generations; `passages` is what this one must hold; `deleted` counts the records that were
    deleted from it since it was last made from nothing, whose room the index inside Chroma never gives back."""

    generation: str
    number: int
    passages: int
    deleted: int
    made_at: str
    previous: str | None = None
    previous_made_at: str | None = None


class Generations:
    """One person's folder. `free` tells the free bytes beside a path, `now` the time (UTC)."""

    def __init__(
        self,
        folder: Path,
        *,
        free: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        grace: float = GRACE,
    ) -> None:
        self.folder = folder
        self._free = free
        self._now = now
        self._grace = grace

    @property
    def slug(self) -> str:
        return self.folder.name

    def signature(self) -> tuple[int, int, int] | None:
        """Changes whenever the pointer moves; None while there is none. One stat call."""
        try:
            stat = (self.folder / "current.json").stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return stat.st_ino, stat.st_mtime_ns, stat.st_size

    def current(self) -> Pointer | None:
        """None before the first generation. Raises StoreBroken for a pointer that cannot be followed."""
        path = self.folder / "current.json"
        try:
            with path.open("rb") as file:
                raw = file.read(_MOST_POINTER_BYTES)
        except (FileNotFoundError, NotADirectoryError):
            return None
        pointer = _read_pointer(raw)
        if pointer is None:
            raise StoreBroken(f"The pointer {self.slug}/current.json is damaged.", hint=mend(self.slug))
        if not (self.folder / pointer.generation).is_dir():
            raise StoreBroken(f"The generation {self.slug}/{pointer.generation} is gone.", hint=mend(self.slug))
        return pointer

    def lock(self, command: str) -> AbstractContextManager[None]:
        """Raises StoreLocked, naming the first writer."""
        return writers.lock(self.folder, command, now=self._now)

    def holder(self) -> Holder | None:
        return writers.holder(self.folder)

    def begin(self, copied: Pointer | None) -> Path:
        """A new folder to fill, with the files of generation `copied` in it. Raises DiskFull with the figures."""
        part = self.folder / f"part-{secrets.token_hex(4)}"
        source = self.folder / copied.generation if copied else None
        needed = (_size(source) if source else 0) + MARGIN
        free = self._free(self.folder)
        if free < needed:
            raise DiskFull(
                f"Indexing {self.slug} needs {_mb(needed)} beside the present index; {_mb(free)} are free.",
                hint="Free some room, or point QANDAI_HOME at a larger disk.",
            )
        part.mkdir()
        if source:
            try:
                copy(source, part)
            except sqlite3.Error as exc:
                raise StoreBroken(f"The index of {self.slug} is damaged: {exc}.", hint=mend(self.slug)) from exc
        return part

    def publish(self, part: Path, *, passages: int, deleted: int) -> Pointer:
        """Makes a finished folder the generation that is read. On disk before the pointer says so."""
        before = self._last_pointer()
        number = before.number + 1 if before else 1
        generation = f"g{number:06d}-{secrets.token_hex(3)}"
        seal(part)
        _flush(part)
        part.rename(self.folder / generation)
        flush_folder(self.folder)
        made_at = self._now().isoformat(timespec="seconds")
        pointer = Pointer(
            generation,
            number,
            passages,
            deleted,
            made_at,
            previous=before.generation if before else None,
            previous_made_at=before.made_at if before else None,
        )
        write_whole(self.folder / "current.json", json.dumps(asdict(pointer)).encode())
        return pointer

    def sweep(self) -> None:
        """Removes all that is neither the present generation nor the one before. Only under the lock."""
        present = self._last_pointer()
        if present is None:
            doomed: tuple[str, ...] = ("part-", ".")
            kept: set[str | None] = set()
        else:
            superseded = datetime.fromisoformat(present.previous_made_at or present.made_at)
            aged = (self._now() - superseded).total_seconds() >= self._grace
            doomed = ("part-", ".", *(["g"] if aged else []))
            kept = {present.generation, present.previous}
        for path in self.folder.iterdir():
            if path.name.startswith(doomed) and path.name not in kept:
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)

    def sound(self, pointer: Pointer) -> Path:
        """The folder of a generation that is as it was published. Raises StoreBroken, naming the file that is not."""
        folder = self.folder / pointer.generation
        if what := fault(folder):
            raise StoreBroken(f"The index of {self.slug} is damaged: {what}.", hint=mend(self.slug))
        return folder

    def _last_pointer(self) -> Pointer | None:
        try:
            return self.current()
        except StoreBroken:
            return None


def mend(slug: str) -> str:
    return f"Run: qandai index {slug} --rebuild"


def _read_pointer(raw: bytes) -> Pointer | None:
    known = {field.name for field in fields(Pointer)}
    try:
        pointer = Pointer(**{key: value for key, value in json.loads(raw).items() if key in known})
        for moment in (pointer.made_at, pointer.previous_made_at or pointer.made_at):
            datetime.fromisoformat(moment)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    names = (pointer.generation, pointer.previous or pointer.generation)
    sound = all(isinstance(name, str) and re.fullmatch(r"g\d+-[0-9a-f]+", name) for name in names)
    counts = all(isinstance(count, int) for count in (pointer.number, pointer.passages, pointer.deleted))
    return pointer if sound and counts else None


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _mb(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"


def _flush(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            flush_folder(path)
        else:
            with path.open("rb") as file:
                os.fsync(file.fileno())
