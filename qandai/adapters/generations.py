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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from qandai.errors import DiskFull, StoreBroken, StoreLocked

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


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that writes to a person's collection now."""

    pid: int
    command: str
    since: str


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

    @contextmanager
    def lock(self, command: str) -> Iterator[None]:
        """Raises StoreLocked, naming the first writer. The operating system lets go of the lock when we die."""
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.folder / "lock", thread_local=False)
        try:
            lock.acquire(timeout=1)  # a moment's patience: `holder` takes the lock for an instant to look
        except Timeout as exc:
            raise StoreLocked(f"{self.slug} is being written{_by(self._claim())}.", hint="Wait for it.") from exc
        try:
            holder = Holder(os.getpid(), command, self._now().isoformat(timespec="seconds"))
            write_whole(self.folder / "writer.json", json.dumps(asdict(holder)).encode())
            yield
        finally:
            (self.folder / "writer.json").unlink(missing_ok=True)
            lock.release()

    def holder(self) -> Holder | None:
        """Who writes now, or None. A claim without a lock is what a killed writer left behind."""
        claim = self._claim()
        if claim is None:
            return None
        lock = FileLock(self.folder / "lock", thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return claim
        lock.release()
        return None

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
        if source:
            shutil.copytree(source, part)
        else:
            part.mkdir()
        return part

    def publish(self, part: Path, *, passages: int, deleted: int) -> Pointer:
        """Makes a finished folder the generation that is read. On disk before the pointer says so."""
        before = self._last_pointer()
        number = before.number + 1 if before else 1
        generation = f"g{number:06d}-{secrets.token_hex(3)}"
        _flush(part)
        part.rename(self.folder / generation)
        _flush_folder(self.folder)
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

    def _last_pointer(self) -> Pointer | None:
        try:
            return self.current()
        except StoreBroken:
            return None

    def _claim(self) -> Holder | None:
        try:
            claim = json.loads((self.folder / "writer.json").read_bytes())
            return Holder(int(claim["pid"]), str(claim["command"]), str(claim["since"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None


def mend(slug: str) -> str:
    return f"Run: qandai index {slug} --rebuild"


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
    _flush_folder(path.parent)


def _read_pointer(raw: bytes) -> Pointer | None:
    known = {field.name for field in fields(Pointer)}
    try:
        pointer = Pointer(**{key: value for key, value in json.loads(raw).items() if key in known})
        for moment in (pointer.made_at, pointer.previous_made_at or pointer.made_at):
            datetime.fromisoformat(moment)
    except (ValueError, TypeError, AttributeError):
        return None
    names = (pointer.generation, pointer.previous or pointer.generation)
    sound = all(isinstance(name, str) and re.fullmatch(r"g\d+-[0-9a-f]+", name) for name in names)
    counts = all(isinstance(count, int) for count in (pointer.number, pointer.passages, pointer.deleted))
    return pointer if sound and counts else None


def _by(holder: Holder | None) -> str:
    return f" by `{holder.command}` (process {holder.pid}, since {holder.since})" if holder else ""


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _mb(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"


def _flush(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            _flush_folder(path)
        else:
            with path.open("rb") as file:
                os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
