"""What one run of ingest did, and what an operator should know of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from qandai.errors import QandaiError
from qandai.origins import Entry

Watch = Callable[[str, int, int | None, str], None]
"""Told before each step: the stage, how many are done, of how many (None: unknown), and what comes now."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that the operator can mend."""

    message: str
    hint: str = ""

    @classmethod
    def of(cls, error: QandaiError) -> Fault:
        return cls(error.message, error.hint)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


@dataclass(frozen=True, slots=True)
class Orders:
    """What a run is asked to do. `limit` bounds the recordings that are attempted."""

    limit: int | None = None
    force: bool = False
    retranscribe: bool = False
    recheck: bool = False
    index: bool = True


@dataclass(frozen=True, slots=True)
class Report:
    """`entries` is the ledger as it stands, `fetched` and `changed` the ids that got a transcript or another state in
    this run. `partial`: some service wants us to wait, until `go_on` where it is known. `indexed`: one line of what
    indexing did."""

    person: str
    entries: Mapping[str, Entry]
    fetched: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    partial: str = ""
    go_on: datetime | None = None
    faults: tuple[Fault, ...] = ()
    indexed: str = ""

    @property
    def counts(self) -> Mapping[tuple[str, str], int]:
        """Recordings by (state, reason), the states in the order of the road."""
        order = {state: n for n, state in enumerate(("indexed", "transcribed", "found", "pending", "skipped", "dead"))}
        counted = Counter((entry.state, _kind(entry.reason)) for entry in self.entries.values())
        return dict(sorted(counted.items(), key=lambda item: (order[item[0][0]], -item[1], item[0][1])))


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would do: `wanted` would be fetched now, `listened` is the part of it that speech to text would hear
    (YouTube's is known only after a closer look), `left` counts the others by state and reason."""

    person: str
    wanted: tuple[Entry, ...] = ()
    listened: tuple[Entry, ...] = ()
    left: Mapping[str, int] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()


def _kind(reason: str) -> str:
    """Reasons that differ only in what they name are one line of the table."""
    for start in ("the same as", "an excerpt of", "made of"):
        if reason.startswith(start):
            return f"{start} another"
    return reason
