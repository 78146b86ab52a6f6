"""`qandai index`: bring the collections in step with the transcripts."""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from types import FrameType

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from qandai import compose
from qandai.errors import QandaiError
from qandai.ingest.indexing import Indexer, IndexReport
from qandai.settings import Settings

_PATIENCE = 2.0  # seconds without a bar


@click.command("index")
@click.argument("persons", nargs=-1, metavar="[PERSON]...")
@click.option("--rebuild", is_flag=True, help="Start from nothing; texts that were embedded before are not again.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
@click.pass_context
def command(ctx: click.Context, persons: tuple[str, ...], *, rebuild: bool, as_json: bool) -> None:
    """Bring the collections of all persons, or of those named, in step with their transcripts.

    Only new and changed recordings are embedded. A running site notices by itself.
    """
    settings: Settings = ctx.obj
    slugs = persons or compose.people(settings).slugs()
    indexer = compose.indexer(settings)
    outcomes: list[dict[str, object]] = []
    with _stop_signal() as stop:
        for slug in dict.fromkeys(slugs):
            if stop.is_set():
                break
            outcome = _index(indexer, slug, rebuild=rebuild, stop=stop)
            outcomes.append(_as_json(slug, outcome))
            if not as_json:
                _print(slug, outcome)
    if as_json:
        click.echo(json.dumps({"persons": outcomes}, ensure_ascii=False, indent=2))
    elif not slugs:
        click.echo("There is nobody to index. Try: qandai people new NAME", err=True)
    ctx.exit(1 if stop.is_set() or any(outcome["error"] or outcome["failed"] for outcome in outcomes) else 0)


def _index(indexer: Indexer, slug: str, *, rebuild: bool, stop: threading.Event) -> IndexReport | QandaiError:
    """One person's failure never stops the others."""
    with _Bar(slug) as bar:
        try:
            return indexer.index(slug, rebuild=rebuild, progress=bar.show, stop=stop.is_set)
        except QandaiError as error:
            return error


def _as_json(slug: str, outcome: IndexReport | QandaiError) -> dict[str, object]:
    if isinstance(outcome, QandaiError):
        error = {"message": outcome.message, "hint": outcome.hint}
        return {**asdict(IndexReport(slug)), "error": error}
    return {**asdict(outcome), "error": None}


def _print(slug: str, outcome: IndexReport | QandaiError) -> None:
    if isinstance(outcome, QandaiError):
        click.echo(f"{slug}: {outcome}", err=True)
        return
    if outcome.mended:
        click.echo(f"{slug}: made anew. {outcome.mended}", err=True)
    counts = {
        "added": len(outcome.added),
        "changed": len(outcome.changed),
        "removed": len(outcome.removed),
        "unchanged": outcome.unchanged,
        "failed": len(outcome.failed),
    }
    done = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "no recordings"
    click.echo(f"{slug}: {done}; {outcome.passages} passages, {outcome.seconds:.1f} s")
    for model, count in outcome.overlong.items():
        click.echo(
            f"{slug}: {model} does not read the end of {count} passages. Try a smaller QANDAI_PASSAGE_CHARS, or "
            f"another embedding in people/{slug}.yaml: scripts that a model was not made for take it more room.",
            err=True,
        )
    for video_id, reason in outcome.failed.items():
        click.echo(f"{slug}/{video_id}: {reason}", err=True)
    if outcome.stopped:
        kept = "what was done is kept" if outcome.written else "the index is as it was"
        click.echo(f"{slug}: stopped, {kept}. Run again to go on: qandai index {slug}", err=True)


class _Bar:
    """A bar of recordings on a terminal, once the work has taken two seconds."""

    def __init__(self, slug: str) -> None:
        self._slug = slug
        self._began = time.monotonic()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._task = self._progress.add_task(slug, total=None)

    def show(self, done: int, total: int, video_id: str) -> None:
        if time.monotonic() - self._began >= _PATIENCE:
            self._progress.start()
        self._progress.update(self._task, completed=done, total=total, description=f"{self._slug}: {video_id}")

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *exc: object) -> None:
        self._progress.stop()


@contextmanager
def _stop_signal() -> Iterator[threading.Event]:
    """Set by the first SIGTERM or Ctrl-C: the recording in hand is finished and kept. The second ends at once."""
    stop = threading.Event()
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def note(number: int, _frame: FrameType | None) -> None:
        stop.set()
        signal.signal(number, kept[signal.Signals(number)] or signal.SIG_DFL)

    for number in kept:
        signal.signal(number, note)
    try:
        yield stop
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler or signal.SIG_DFL)
