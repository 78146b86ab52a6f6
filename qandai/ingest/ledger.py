"""What became of every recording of one person, written through to disk at each change.

found ─► transcribed ─► indexed ─► dead          (and back, when it plays again)
  ├───► skipped: reason
  └───► pending: reason, next try
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from qandai.origins import Entry, Ledgers, State, Wait

FORGOTTEN = "forgotten"
"""Reason of what an editor removed: it is never fetched again."""

_FIRST, _LONGEST = timedelta(hours=1), timedelta(days=7)
_FIRST_WAIT, _LONGEST_WAIT = timedelta(minutes=15), timedelta(hours=6)
_MOST_DOUBLINGS = 10


class Ledger:
    """Lives for one run. Every change is on disk before the call returns."""

    def __init__(self, slug: str, ledgers: Ledgers, *, now: Callable[[], datetime]) -> None:
        self._slug = slug
        self._ledgers = ledgers
        self._now = now
        self._entries = dict(ledgers.read(slug))

    @property
    def entries(self) -> Mapping[str, Entry]:
        return self._entries

    def add(self, found: Iterable[Entry]) -> None:
        """New ones as they are; of known ones only the facts are freshened."""
        before = dict(self._entries)
        for entry in found:
            known = self._entries.get(entry.id)
            if known is None:
                self._entries[entry.id] = replace(entry, at=self._now())
            else:
                self._entries[entry.id] = _freshened(known, entry)
        if self._entries != before:
            self._save()

    def mark(
        self,
        ids: Iterable[str],
        state: State,
        *,
        reason: str = "",
        note: str | None = None,
        checked: bool = False,
    ) -> None:
        """Enters a state, or stays in it; pending without a next try is due at once. `note` None keeps the one that
        stands there; `checked`: it was just seen whether it plays."""
        changed = False
        for video_id in ids:
            entry = self._entries[video_id]
            made = replace(
                entry,
                state=state,
                reason=reason,
                note=entry.note if note is None else note,
                next_try=None,
                tries=0,
                checked=self._now() if checked else entry.checked,
                at=entry.at if (entry.state, entry.reason) == (state, reason) else self._now(),
            )
            changed |= made != entry
            self._entries[video_id] = made
        if changed:
            self._save()

    def postpone(self, video_id: str, reason: str, *, until: datetime | None = None, note: str | None = None) -> None:
        """Pending. Without `until` the wait doubles with every try that failed."""
        entry = self._entries[video_id]
        tries = entry.tries + 1
        self._entries[video_id] = replace(
            entry,
            state="pending",
            reason=reason,
            note=entry.note if note is None else note,
            tries=tries,
            next_try=until or self._now() + backoff(tries),
            at=self._now(),
        )
        self._save()

    def is_due(self, entry: Entry) -> bool:
        return entry.next_try is None or entry.next_try <= self._now()

    def _save(self) -> None:
        self._ledgers.write(self._slug, self._entries)


def backoff(tries: int) -> timedelta:
    """One hour after the first failure, twice as long after each further one, a week at most."""
    return min(_LONGEST, _FIRST * (1 << min(tries - 1, _MOST_DOUBLINGS)))


def longer(wait: Wait | None, now: datetime, asked: float | None) -> Wait:
    """The next wait for a service that refused again; `asked` is what it named itself, seconds."""
    strikes = (wait.strikes if wait else 0) + 1
    own = min(_LONGEST_WAIT, _FIRST_WAIT * (1 << min(strikes - 1, _MOST_DOUBLINGS)))
    return Wait(now + (own if asked is None else max(timedelta(seconds=asked), timedelta(minutes=1))), strikes)


def _freshened(known: Entry, seen: Entry) -> Entry:
    """What the source says now, over what was known."""
    return replace(
        known,
        place=seen.place,
        title=seen.title if seen.title != seen.id else known.title or seen.title,
        duration=known.duration if seen.duration is None else seen.duration,
        published=known.published if seen.published is None else seen.published,
        url=seen.url or known.url,
    )
