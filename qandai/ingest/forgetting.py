"""Removing recordings for good: the transcript, what was made from it, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from qandai.errors import UnknownVideo
from qandai.ingest.ledger import FORGOTTEN, Ledger
from qandai.origins import Entry, Ledgers

Erase = Callable[[str, Sequence[str]], str]
"""Given a person and video ids, removes what else is kept of them (vectors, cached answers, logged quotes) and says
in a few words what that was; empty for nothing. `serve` may be running meanwhile."""


class Removable(Protocol):
    def ids(self, slug: str) -> tuple[str, ...]: ...

    def remove(self, slug: str, video_id: str) -> None:
        """The transcript and its edits. Nothing to remove is no error."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    ids: tuple[str, ...]
    erased: tuple[str, ...]


class Forgetter:
    def __init__(
        self,
        transcripts: Removable,
        ledgers: Ledgers,
        erasers: Sequence[Erase],
        *,
        now: Callable[[], datetime],
    ) -> None:
        self._transcripts = transcripts
        self._ledgers = ledgers
        self._erasers = erasers
        self._now = now

    def forget(self, slug: str, video_id: str | None = None) -> Forgotten:
        """One recording, or all of a person. The ledger remembers first, so that a kill half-way is mended by the
        same command. Raises UnknownVideo, StoreLocked."""
        with self._ledgers.holding(slug):
            ledger = Ledger(slug, self._ledgers, now=self._now)
            known = {*self._transcripts.ids(slug), *ledger.entries}
            if video_id is not None and video_id not in known:
                raise UnknownVideo(
                    f"{slug} has no recording {video_id!r}.", hint=f"Try: qandai ingest {slug} --dry-run"
                )
            ids = sorted(known) if video_id is None else [video_id]
            ledger.add(_unknown(ids, ledger.entries))
            ledger.mark(ids, "skipped", reason=FORGOTTEN, note="")
            for one in ids:
                self._transcripts.remove(slug, one)
            erased = tuple(said for erase in self._erasers if (said := erase(slug, ids)))
        return Forgotten(tuple(ids), erased)


def _unknown(ids: Sequence[str], entries: Mapping[str, Entry]) -> list[Entry]:
    """Imported recordings stand in no ledger yet."""
    return [Entry(video_id, "skipped", "audio", reason=FORGOTTEN) for video_id in ids if video_id not in entries]
