"""What the steps of one run share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from qandai.errors import QandaiError
from qandai.ingest.ledger import Ledger
from qandai.ingest.outcome import Origin
from qandai.ingest.report import Fault, Orders, Watch
from qandai.ingest.services import Services
from qandai.model import Person, Source
from qandai.origins import Entry, Place, State

PLACES: Mapping[str, Place] = {
    "audio": "audio",
    "feed": "feed",
    "youtube": "youtube",
    "youtube_ids": "youtube",
    "youtube_search": "youtube",
}


@dataclass(slots=True)
class Run:
    """One person's run: collaborators, and what has happened so far."""

    person: Person
    orders: Orders
    ledger: Ledger
    services: Services
    origins: Mapping[Place, Origin]
    watch: Watch
    faults: list[Fault] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)

    def origin(self, source: Source) -> Origin:
        return self.origins[PLACES[source.kind]]

    def entry(self, video_id: str) -> Entry:
        return self.ledger.entries[video_id]

    def fault(self, error: QandaiError) -> None:
        """Once, however many recordings it concerns."""
        fault = Fault.of(error)
        if fault not in self.faults:
            self.faults.append(fault)

    def mark(self, ids: Iterable[str], state: State, reason: str = "", *, checked: bool = False) -> None:
        """Remembers which changed."""
        moved = [
            video_id for video_id in ids if (self.entry(video_id).state, self.entry(video_id).reason) != (state, reason)
        ]
        self.changed += moved
        self.ledger.mark(moved if not checked else list(ids), state, reason=reason, checked=checked)
