"""`ingest`: from a person's sources to transcripts and an index."""

from __future__ import annotations

import json
import math
import sys
import threading
from dataclasses import asdict
from datetime import datetime
from types import TracebackType

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn
from rich.table import Table

from qandai import compose, compose_ingest
from qandai.errors import UsageError
from qandai.ingest.report import Fault, Orders, Plan, Report
from qandai.links import timestamp
from qandai.model import Person, Video
from qandai.settings import Settings

_REASONS: dict[str, str] = {"found": "not reached in this run", "transcribed": "not in the search yet"}
_WIDTH = 48  # characters of a title beside a bar


@click.command("ingest")
@click.argument("person")
@click.option("--limit", type=click.IntRange(min=1), help="Fetch at most so many recordings in this run.")
@click.option("--dry-run", is_flag=True, help="Only list the sources and say what would be done, and its price.")
@click.option("--force", is_flag=True, help="Fetch again what is there or was skipped (never what was forgotten).")
@click.option("--retranscribe", is_flag=True, help="Speech to text again, where model or vocabulary changed.")
@click.option("--recheck", is_flag=True, help="See whether everything still plays; what does not leaves the search.")
@click.option("--no-index", is_flag=True, help="Only transcripts; `qandai index` does the rest.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    person: str,
    *,
    limit: int | None,
    dry_run: bool,
    force: bool,
    retranscribe: bool,
    recheck: bool,
    no_index: bool,
    as_json: bool,
) -> None:
    """Discover PERSON's recordings, fetch their words, and index what was added.

    Safe to run again at any time, and to kill at any moment. Ends with 1 if there is something that you can mend, or
    if a service wants the run to go on later.
    """
    settings: Settings = ctx.obj
    whose = compose.people(settings).get(person)
    if not whose.sources:
        raise UsageError(
            f"people/{person}.yaml names no sources.", hint="Add `sources:`, or import files: qandai import"
        )
    orders = Orders(limit, force, retranscribe, recheck, not no_index)
    if dry_run:
        ctx.exit(_plan(settings, whose, orders, as_json=as_json))
    with (
        _Bars() as bars,
        compose_ingest.ingester(settings, index=not no_index, hearing=bars.heard) as ingester,
    ):
        report = ingester.ingest(whose, orders, bars.show)
    if as_json:
        click.echo(json.dumps(_as_json(report), ensure_ascii=False, indent=2, default=_plain))
    else:
        _print(report)
    ctx.exit(1 if report.faults or report.partial else 0)


def _plan(settings: Settings, person: Person, orders: Orders, *, as_json: bool) -> int:
    with _Bars() as bars, compose_ingest.ingester(settings, index=False) as ingester:
        plan = ingester.plan(person, orders, bars.show)
    price = compose_ingest.price(settings, [entry.duration for entry in plan.listened]) if plan.listened else ""
    if as_json:
        click.echo(json.dumps(asdict(plan) | {"price": price}, ensure_ascii=False, indent=2, default=_plain))
    else:
        _print_plan(plan, price)
    return 1 if plan.faults else 0


def _print_plan(plan: Plan, price: str) -> None:
    for entry in plan.wanted:
        length = timestamp(entry.duration) if entry.duration else "–:––"
        click.echo(f"{entry.id}  {length:>8}  {entry.title}")
    known = [entry.duration for entry in plan.wanted if entry.duration]
    unknown = len(plan.wanted) - len(known)
    wanted = f"{len(plan.wanted)} recording{'s' * (len(plan.wanted) != 1)} would be fetched"
    lengths = [f"{timestamp(sum(known))} in all"] * bool(known) + [f"{unknown} of unknown length"] * bool(unknown)
    click.echo(f"{', '.join([wanted, *lengths])}.")
    if price:
        click.echo(f"Speech to text: {price}")
    for why, count in sorted(plan.left.items(), key=lambda item: -item[1]):
        click.echo(f"{count:>6}  {why}")
    _print_faults(plan.faults)


def _print(report: Report) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("recordings", justify="right")
    table.add_column("state")
    table.add_column("reason")
    for (state, reason), count in report.counts.items():
        table.add_row(str(count), state, reason or _REASONS.get(state, ""))
    Console(width=max(80, Console().width)).print(table)
    click.echo(
        f"{report.person}: {len(report.fetched)} fetched now" + (f"; {report.indexed}" if report.indexed else "")
    )
    if report.partial:
        later = f"Go on after {report.go_on.astimezone():%d %B %H:%M}" if report.go_on else "Go on later"
        again = f"qandai ingest {report.person}"
        click.echo(f"partial: {report.partial} Everything so far is kept. {later}: {again}", err=True)
    _print_faults(report.faults)


def _print_faults(faults: tuple[Fault, ...]) -> None:
    for fault in faults:
        click.echo(f"to mend: {fault}", err=True)


def _as_json(report: Report) -> dict[str, object]:
    return {
        "person": report.person,
        "fetched": report.fetched,
        "counts": [{"state": state, "reason": reason, "count": n} for (state, reason), n in report.counts.items()],
        "partial": report.partial or None,
        "go_on": report.go_on,
        "to_mend": [asdict(fault) for fault in report.faults],
        "indexed": report.indexed or None,
        "recordings": [asdict(entry) for entry in report.entries.values()],
    }


def _plain(value: object) -> str:
    assert isinstance(value, datetime)
    return value.isoformat(timespec="seconds")


class _Bars:
    """A bar for each stage, and one for each recording while it is heard, on a terminal; elsewhere nothing."""

    def __init__(self) -> None:
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[title]}", markup=False),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._tasks: dict[str, TaskID] = {}
        self._lock = threading.Lock()

    def show(self, stage: str, done: int, total: int | None, title: str) -> None:
        self._bar(stage, stage, done, total, title)

    def heard(self, video: Video, done: float, total: float) -> None:
        """Several recordings may be heard side by side."""
        key = f"heard {video.id}"
        if done < total:
            self._bar(key, "speech to text, minutes", int(done / 60), max(1, math.ceil(total / 60)), video.title)
            return
        with self._lock:
            if (task := self._tasks.pop(key, None)) is not None:
                self._progress.remove_task(task)

    def _bar(self, key: str, shown: str, done: int, total: int | None, title: str) -> None:
        with self._lock:
            if key not in self._tasks:
                self._tasks[key] = self._progress.add_task(shown, total=total, title="")
            self._progress.update(self._tasks[key], completed=done, total=total, title=title[:_WIDTH])

    def __enter__(self) -> _Bars:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()
