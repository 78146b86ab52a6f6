"""The story of one person's ingest: discover, look closer, take the words, compare, index.

Every step is on disk before the next begins, so that a kill costs the recording in flight and nothing else. One bad
recording never stops the run; a service that wants us to wait stops only what comes from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol

from qandai.errors import DiskFull, QandaiError, StoreError, TranscriptError
from qandai.ingest.attempt import attempt
from qandai.ingest.duplicates import Print, duplicates, print_of
from qandai.ingest.fetching import fetch_all
from qandai.ingest.indexing import IndexReport, Progress
from qandai.ingest.ledger import Ledger
from qandai.ingest.outcome import Item, Origin
from qandai.ingest.recheck import recheck
from qandai.ingest.report import Orders, Plan, Report, Watch
from qandai.ingest.run import Run
from qandai.ingest.searchable import left_out
from qandai.ingest.services import Services
from qandai.ingest.survey import Survey, queue, settle, survey
from qandai.model import Person
from qandai.origins import Entry, Ledgers, Place, Waits
from qandai.ports import Transcripts

DUPLICATES = ("the same as ", "an excerpt of ", "made of ")


class Indexes(Protocol):
    def index(self, slug: str, *, progress: Progress | None = None) -> IndexReport: ...


class Ingester:
    """`origins` by the kind of place; `indexer` None where nothing is indexed; `refused` gives, by id, when a
    visitor's player last refused a person's video."""

    def __init__(
        self,
        origins: Mapping[Place, Origin],
        transcripts: Transcripts,
        ledgers: Ledgers,
        waits: Waits,
        *,
        indexer: Indexes | None = None,
        refused: Callable[[str], Mapping[str, datetime]] = lambda _: {},
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._origins = origins
        self._transcripts = transcripts
        self._ledgers = ledgers
        self._waits = waits
        self._indexer = indexer
        self._refused = refused
        self._now = now

    def ingest(self, person: Person, orders: Orders, watch: Watch) -> Report:
        """Raises StoreLocked where somebody ingests this person already, TranscriptError for a damaged ledger."""
        with self._ledgers.holding(person.slug):
            run = self._run(person, orders, watch, self._ledgers)
            try:
                self._probe(run)
                self._fetch(run)
                recheck(run, self._reported(run), all_of_them=orders.recheck)
                self._compare(run)
                indexed = self._index(run)
            except DiskFull as exc:
                run.fault(exc)
                indexed = ""
            closed = run.services.closed
            return Report(
                person.slug,
                dict(run.ledger.entries),
                fetched=tuple(run.fetched),
                changed=tuple(dict.fromkeys(run.changed)),
                partial="; ".join(closed.values()),
                go_on=run.services.go_on(),
                faults=tuple(run.faults),
                indexed=indexed,
            )

    def plan(self, person: Person, orders: Orders, watch: Watch) -> Plan:
        """What `ingest` would fetch. Only lists sources; writes nothing."""
        run = self._run(person, orders, watch, _Unwritten(self._ledgers))
        found = self._survey(run)
        wanted = [item.entry for item in queue(run, found, self._heard(run))][: orders.limit]
        ids = {entry.id for entry in wanted}
        left = Counter(
            f"{entry.state}: {entry.reason}" if entry.reason else entry.state
            for entry in run.ledger.entries.values()
            if entry.id not in ids
        )
        listened = tuple(e for e in wanted if run.origins[e.place].listens(e, person))
        return Plan(person.slug, tuple(wanted), listened, left, tuple(run.faults))

    def _run(self, person: Person, orders: Orders, watch: Watch, ledgers: Ledgers) -> Run:
        ledger = Ledger(person.slug, ledgers, now=self._now)
        return Run(person, orders, ledger, Services(self._waits, now=self._now), self._origins, watch)

    def _probe(self, run: Run) -> None:
        """A service that still wants us to wait is asked for one recording. If it refuses again it is left alone."""
        for place in self._origins:
            if run.services.must_wait(place) is None:
                continue
            stuck = [e for e in run.ledger.entries.values() if e.place == place and e.state in ("pending", "found")]
            stuck.sort(key=lambda entry: entry.reason != "throttled")
            if stuck:
                run.watch("asking", 0, 1, stuck[0].title or stuck[0].id)
                attempt(run, Item(stuck[0]), self._transcripts)

    def _survey(self, run: Run) -> Survey:
        found = survey(run)
        settle(run, found, frozenset(self._transcripts.ids(run.person.slug)))
        return found

    def _fetch(self, run: Run) -> None:
        before = dict(run.ledger.entries)
        found = self._survey(run)
        self._rename(run, before)
        fetch_all(run, queue(run, found, self._heard(run))[: run.orders.limit], self._transcripts)

    def _heard(self, run: Run) -> frozenset[str]:
        """Recordings whose words came from speech to text; looked up only when it matters."""
        if not run.orders.retranscribe:
            return frozenset()
        slug = run.person.slug
        ids = (video_id for video_id in self._transcripts.ids(slug) if video_id in run.ledger.entries)
        return frozenset(i for i in ids if self._transcripts.read(slug, i).provenance.captions == "whisper")

    def _rename(self, run: Run, before: Mapping[str, Entry]) -> None:
        """A file that was renamed keeps its transcript: only title and path change in it."""
        for entry in list(run.ledger.entries.values()):
            old = before.get(entry.id)
            moved = old is not None and entry.place == "audio" and (old.url, old.title) != (entry.url, entry.title)
            if old is None or not moved or entry.id not in self._transcripts.ids(run.person.slug):
                continue
            transcript = self._transcripts.read(run.person.slug, entry.id)
            title = entry.title if transcript.video.title == old.title else transcript.video.title
            video = replace(transcript.video, title=title, url=entry.url)
            self._transcripts.write(run.person.slug, replace(transcript, video=video))
            if entry.state == "indexed":
                run.mark([entry.id], "transcribed")

    def _reported(self, run: Run) -> Mapping[str, datetime]:
        try:
            return self._refused(run.person.slug)
        except StoreError as exc:  # what players reported is no reason to fetch nothing
            run.fault(exc)
            return {}

    def _compare(self, run: Run) -> None:
        """Leaves out what a fuller recording says too, and takes back what no other says any more."""
        if not run.changed:
            return
        hidden = {
            entry.id
            for entry in run.ledger.entries.values()
            if entry.state == "dead" or (entry.state == "skipped" and not entry.reason.startswith(DUPLICATES))
        }
        ids = [video_id for video_id in self._transcripts.ids(run.person.slug) if video_id not in hidden]
        found = duplicates(self._prints(run, ids))
        for video_id in ids:
            if video_id in found and video_id in run.ledger.entries:
                run.mark([video_id], "skipped", found[video_id].reason)
            elif video_id in run.ledger.entries and run.entry(video_id).state == "skipped":
                run.mark([video_id], "transcribed")

    def _prints(self, run: Run, ids: list[str]) -> list[Print]:
        prints: list[Print] = []
        for number, video_id in enumerate(ids):
            run.watch("comparing", number, len(ids), video_id)
            try:
                prints.append(print_of(self._transcripts.read(run.person.slug, video_id)))
            except TranscriptError:
                continue  # indexing names it
        return prints

    def _index(self, run: Run) -> str:
        waiting = any(entry.state == "transcribed" for entry in run.ledger.entries.values())
        if self._indexer is None or not run.orders.index or not (waiting or run.changed):
            return ""
        try:
            report = self._indexer.index(
                run.person.slug, progress=lambda done, total, video_id: run.watch("indexing", done, total, video_id)
            )
        except QandaiError as exc:
            run.fault(exc)
            return ""
        hidden = left_out(run.ledger.entries)
        on_disk = [i for i in self._transcripts.ids(run.person.slug) if i in run.ledger.entries and i not in hidden]
        done = [i for i in on_disk if i not in report.failed and run.entry(i).state == "transcribed"]
        run.ledger.mark(done, "indexed")
        for video_id, reason in report.failed.items():
            run.fault(TranscriptError(f"{video_id} is not indexed: {reason}"))
        added, changed, removed = len(report.added), len(report.changed), len(report.removed)
        return f"{added} added, {changed} changed, {removed} removed, {report.passages} passages"


class _Unwritten:
    """A ledger that forgets what it is told."""

    def __init__(self, ledgers: Ledgers) -> None:
        self.read = ledgers.read
        self.holding = ledgers.holding

    def write(self, slug: str, entries: Mapping[str, Entry]) -> None:
        return None
