"""The person files of a folder, people/<slug>.yaml, read again when they change."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable
from pathlib import Path

from qandai.adapters.person_file import read_person
from qandai.errors import PersonFileError, Problem, UnknownPerson
from qandai.model import Person

_Stamp = tuple[int, int, int]
"""A file's time of change in nanoseconds, its size and its inode."""

_FRESH = 2_000_000_000
"""Nanoseconds. What changed just now may change again within one tick of the disk's clock, and keep its stamp."""


class YamlPeople:
    """The `People` port. A file is parsed once and again when its stamp changes: at the next call, by whichever thread.

    Threads share it without a lock: what is remembered of a file is one value, put and looked up as a whole.
    """

    def __init__(self, folder: Path, *, now: Callable[[], int] = time.time_ns) -> None:
        """`now` in nanoseconds."""
        self._folder = folder
        self._now = now
        self._known: dict[Path, tuple[_Stamp, Person | tuple[Problem, ...]]] = {}

    def slugs(self) -> tuple[str, ...]:
        if not self._folder.is_dir():
            return ()
        return tuple(sorted(_slug(path) for path in self._folder.glob("*.yaml")))

    def get(self, slug: str) -> Person:
        path = next((path for path in self._folder.glob("*.yaml") if _slug(path) == slug), None)
        found = self._read(path) if path is not None else None
        if path is None or found is None:
            known = ", ".join(self.slugs()) or "nobody yet"
            raise UnknownPerson(f"There is no person {slug!r} (known: {known}).", hint="Try: qandai people")
        if isinstance(found, Person):
            return found
        raise PersonFileError(f"people/{path.name}", found)

    def _read(self, path: Path) -> Person | tuple[Problem, ...] | None:
        """The person, or what is wrong with the file; None where it has just been removed."""
        try:
            stamp = _stamp(path)  # before its content: what changes between the two is seen next time
            known = self._known.get(path)
            if known is None or known[0] != stamp:
                known = stamp, _parsed(path)
        except FileNotFoundError:
            return None
        if self._now() - stamp[0] > _FRESH:
            self._known[path] = known
        return known[1]


def _stamp(path: Path) -> _Stamp:
    stat = path.stat()
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def _parsed(path: Path) -> Person | tuple[Problem, ...]:
    try:
        return read_person(path)
    except PersonFileError as exc:
        return exc.problems


def _slug(path: Path) -> str:
    return unicodedata.normalize("NFC", path.stem)
