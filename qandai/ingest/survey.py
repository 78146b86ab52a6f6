"""Which recordings there are, and which of them are to be fetched now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from qandai.errors import (
    AccessRefused,
    ModelMissing,
    ProviderError,
    QandaiError,
    Throttled,
    ToolMissing,
    Unavailable,
    UsageError,
)
from qandai.ingest.filters import BEYOND, SHORT, asks_for_shorts, is_filtered, unwanted
from qandai.ingest.ledger import FORGOTTEN
from qandai.ingest.outcome import Item
from qandai.ingest.run import PLACES, Run
from qandai.model import Source

OPERATORS = (AccessRefused, ToolMissing, ModelMissing, UsageError)
"""Errors that asking again does not help: somebody must do something first."""


@dataclass(slots=True)
class Survey:
    """By id: what some source wants, and why none wants the rest. In the order shown."""

    wanted: dict[str, Item] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def survey(run: Run) -> Survey:
    """Lists every source whose service answers, and brings the ledger in step with what they show."""
    found = Survey()
    sources = run.person.sources
    for number, source in enumerate(sources):
        run.watch("listing", number, len(sources), source.at[0])
        items = _listed(run, source)
        run.ledger.add(item.entry for item in items)
        _judge(run, source, items, found)
    for video_id in found.wanted:
        found.refused.pop(video_id, None)
    return found


def settle(run: Run, found: Survey, transcripts: frozenset[str]) -> None:
    """Moves entries to where the survey and the transcripts on disk say that they belong."""
    for video_id in list(run.ledger.entries):
        entry = run.entry(video_id)
        on_disk = video_id in transcripts
        if entry.state == "found" and on_disk:
            run.mark([video_id], "transcribed")
        elif entry.state in ("transcribed", "indexed") and not on_disk:
            run.mark([video_id], "found")
    moves: dict[str, list[str]] = {}
    for video_id, reason in found.refused.items():
        entry = run.entry(video_id)
        if entry.state in ("found", "pending") or (entry.state == "skipped" and is_filtered(entry.reason)):
            moves.setdefault(reason, []).append(video_id)
    for reason, ids in moves.items():
        run.mark(ids, "skipped", reason)
    again = [
        video_id
        for video_id in found.wanted
        if run.entry(video_id).state == "skipped" and is_filtered(run.entry(video_id).reason)
    ]
    run.mark([video_id for video_id in again if video_id in transcripts], "transcribed")
    run.mark([video_id for video_id in again if video_id not in transcripts], "found")


def queue(run: Run, found: Survey, heard: frozenset[str]) -> list[Item]:
    """What to fetch now, in the order shown; then what no source shows any more. `heard`: ids whose words came from
    speech to text."""
    gone = [
        Item(entry)
        for entry in run.ledger.entries.values()
        if entry.state in ("found", "pending") and entry.id not in found.wanted and entry.place in run.origins
    ]
    items = [Item(run.entry(video_id), item.source) for video_id, item in found.wanted.items()]
    return [item for item in [*items, *gone] if _is_wanted_now(run, item, heard)]


def _is_wanted_now(run: Run, item: Item, heard: frozenset[str]) -> bool:
    entry = item.entry
    if entry.state == "skipped" and entry.reason == FORGOTTEN:
        return False
    if run.orders.force:
        return True
    if run.orders.retranscribe and entry.id in heard and entry.state in ("transcribed", "indexed"):
        return True
    return entry.state == "found" or (entry.state == "pending" and run.ledger.is_due(entry))


def _listed(run: Run, source: Source) -> Sequence[Item]:
    place = PLACES[source.kind]
    if not run.services.is_open(place) or place not in run.origins:
        return ()
    try:
        return run.origin(source).list(source, run.person)
    except Throttled as exc:
        run.services.throttled(place, exc)
    except (Unavailable, *OPERATORS) as exc:
        run.fault(_naming(source, exc))
    except ProviderError as exc:
        run.fault(_naming(source, exc))
        run.services.failed(place, str(exc))
    return ()


def _naming(source: Source, error: QandaiError) -> QandaiError:
    at = source.at[0]
    return error if at in error.message else QandaiError(f"{at}: {error.message}", hint=error.hint)


def _judge(run: Run, source: Source, items: Sequence[Item], found: Survey) -> None:
    """By the filters, and by what the listing itself tells. An earlier source's word stands."""
    accepted = 0
    for item in items:
        entry = run.entry(item.entry.id)
        reason = item.entry.reason if item.entry.state == "skipped" else None
        if entry.reason == SHORT and not asks_for_shorts(source):  # only the look-up told
            reason = SHORT
        reason = reason or unwanted(source, title=entry.title, duration=entry.duration, published=entry.published)
        if reason is None:
            accepted += 1
            if source.limit is not None and accepted > source.limit:
                reason = f"{BEYOND}{source.limit}"
        if reason is None:
            found.wanted.setdefault(entry.id, item)
        else:
            found.refused.setdefault(entry.id, reason)
        airing = item.entry.state == "pending" and entry.state == "pending" and entry.next_try is None
        if airing and reason is None:
            run.ledger.postpone(entry.id, item.entry.reason)
