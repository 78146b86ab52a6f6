"""The ledgers on disk, beside the transcripts that they tell of, and what services asked us to wait.

transcripts/<person>/ledger.jsonl    a line a recording
store/ingest/<person>/lock           held while somebody ingests
store/ingest/waits.json              derived from what services said; may be deleted
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import fields
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from qandai.adapters.durable import write_whole
from qandai.adapters.writers import lock
from qandai.errors import DiskFull, TranscriptError, UnknownPerson
from qandai.origins import Entry, Wait

MAX_BYTES = 256 * 2**20

_SLUG = re.compile(r"[\w-]{1,64}\Z")
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_entry = TypeAdapter(Entry)
_waits = TypeAdapter(dict[str, Wait])


class LedgerFiles:
    """The `Ledgers` port. `transcripts` and `locks` are folders; `command` tells a second one who is first."""

    def __init__(self, transcripts: Path, locks: Path, *, command: str = "qandai ingest") -> None:
        self._transcripts = transcripts
        self._locks = locks
        self._command = command

    def read(self, slug: str) -> Mapping[str, Entry]:
        """Raises TranscriptError for a damaged line, which names it."""
        path = self._path(slug)
        if not path.exists():
            return {}
        if path.stat().st_size > MAX_BYTES:
            raise TranscriptError(f"{slug}/{path.name} is larger than {MAX_BYTES >> 20} MB.")
        found: dict[str, Entry] = {}
        for number, line in enumerate(path.read_bytes().splitlines(), start=1):
            if not line.strip():
                continue
            try:
                entry = _entry.validate_json(line)
            except ValidationError as exc:
                raise _damaged(path, number) from exc
            if not _ID.match(entry.id) or any(time and not time.tzinfo for time in _times(entry)):
                raise _damaged(path, number)
            found[entry.id] = entry
        return found

    def write(self, slug: str, entries: Mapping[str, Entry]) -> None:
        path = self._path(slug)
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [_line(entry) for entry in entries.values()]
        try:
            write_whole(path, "".join(f"{line}\n" for line in lines).encode())
        except OSError as exc:
            raise DiskFull(f"{slug}/{path.name} cannot be written: {exc.strerror}.", hint="Free some disk.") from exc

    def holding(self, slug: str) -> AbstractContextManager[None]:
        return self._holding(self._path(slug))

    @contextmanager
    def _holding(self, path: Path) -> Iterator[None]:
        with lock(self._locks / path.parent.name, self._command, now=lambda: datetime.now(UTC)):
            for left in path.parent.glob(f".{path.name}.*"):  # by a writer that was killed
                left.unlink(missing_ok=True)
            yield

    def _path(self, slug: str) -> Path:
        if not _SLUG.match(slug):
            raise UnknownPerson(f"There is no person {slug!r}.", hint="Try: qandai people")
        return self._transcripts / slug / "ledger.jsonl"


class WaitFile:
    """The `Waits` port over one file; a damaged one counts as empty."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def get(self, service: str) -> Wait | None:
        return self._read().get(service)

    def put(self, service: str, wait: Wait | None) -> None:
        waits = self._read()
        if waits.get(service) == wait:
            return
        waits.pop(service, None)
        if wait is not None:
            waits[service] = wait
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self._path, _waits.dump_json(waits))

    def _read(self) -> dict[str, Wait]:
        try:
            return _waits.validate_json(self._path.read_bytes())
        except (OSError, ValidationError):
            return {}


@lru_cache(maxsize=50_000)  # a write changes one line of thousands
def _line(entry: Entry) -> str:
    """Without what is empty; times as ISO text."""
    values = ((field.name, getattr(entry, field.name)) for field in fields(entry))
    told = {
        name: _iso(value) if isinstance(value, datetime) else value
        for name, value in values
        if value not in ("", None, 0)
    }
    return json.dumps(told, ensure_ascii=False)


def _times(entry: Entry) -> tuple[datetime | None, ...]:
    return entry.next_try, entry.checked, entry.at


def _iso(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="seconds")


def _damaged(path: Path, line: int) -> TranscriptError:
    return TranscriptError(
        f"{path.parent.name}/{path.name}:{line} is damaged.",
        hint="Delete that line: its recording is looked at again; nothing else depends on it.",
    )
