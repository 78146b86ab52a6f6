"""`qandai passage`: prints a passage by its id, so that a log line can be replayed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from qandai import compose, links
from qandai.errors import NotReady, PersonFileError, StoreError, UnknownVideo, UsageError
from qandai.model import Span
from qandai.passages import stitch
from qandai.ports import Shelf

_ID = re.compile(r"([A-Za-z0-9_-]{1,64}):(\d{1,9})-(\d{1,9})\Z")


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage in its person's collection. `before` and `after` are its neighbours; None at the recording's ends."""

    person: str
    passage: Span
    before: Span | None
    after: Span | None


@click.command("passage")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--person", help="Look in this person's recordings only.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(ctx: click.Context, ids: tuple[str, ...], *, person: str | None, as_json: bool) -> None:
    """Print each passage ID (VIDEO:first-last, as in a log or an answer) with its time and its neighbours."""
    parsed = [_parsed(passage_id) for passage_id in ids]
    slugs = (person,) if person else compose.people(ctx.obj).slugs()
    lender = compose.shelves(ctx.obj)
    found: list[Shown] = []
    faults: list[str] = []
    for slug in slugs:
        try:
            with lender.borrow(slug) as shelf:
                found += [shown for wanted in parsed if (shown := _look_up(slug, shelf, *wanted)) is not None]
        except (NotReady, PersonFileError, StoreError) as exc:
            if person:
                raise
            faults.append(f"{slug}: {exc}")
    seen = {(shown.passage.video.id, shown.passage.first, shown.passage.last) for shown in found}
    missing = [passage_id for passage_id, wanted in zip(ids, parsed, strict=True) if wanted not in seen]
    if as_json:
        click.echo(json.dumps([_as_json(shown) for shown in found], ensure_ascii=False, indent=2))
    else:
        console = Console()
        for shown in found:
            for line in _drawn(shown):
                console.print(line)
    if missing:
        for fault in faults:
            click.echo(fault, err=True)
        raise UnknownVideo(
            f"Nobody's collection holds {', '.join(missing)}.", hint="Was it indexed again since? See qandai people."
        )


def _parsed(passage_id: str) -> tuple[str, int, int]:
    match = _ID.match(passage_id)
    if match is None or int(match[2]) > int(match[3]):
        raise UsageError(f"{passage_id!r} is no passage id; one looks like dQw4w9WgXcQ:120-214.")
    return match[1], int(match[2]), int(match[3])


def _look_up(slug: str, shelf: Shelf, video_id: str, first: int, last: int) -> Shown | None:
    """Any stretch of words can be shown, so that an id from before the last index still replays."""
    at = [index for index, place in enumerate(shelf.places) if place.video_id == video_id]
    inside = [index for index in at if shelf.places[index].first <= last and shelf.places[index].last >= first]
    if not inside:
        return None
    edges = [index for index in (inside[0] - 1, inside[-1] + 1) if index in at]
    leaves = dict(zip([*inside, *edges], shelf.read([*inside, *edges]), strict=True))
    try:
        row, _, _ = stitch([leaves[index] for index in inside])
        passage = row.span(first, last)
    except ValueError:  # part of it is not there any more
        return None
    before, after = leaves.get(inside[0] - 1), leaves.get(inside[-1] + 1)
    return Shown(slug, passage, before.passage if before else None, after.passage if after else None)


def _drawn(shown: Shown) -> Iterator[Text | Padding]:
    passage = shown.passage
    video = passage.video
    yield Text(passage.id, style="bold")
    about = " · ".join(part for part in (shown.person, video.title, video.published) if part)
    yield Padding(Text(about), (0, 2))
    seconds = f"{links.timestamp(passage.start)}  (seconds {passage.start:.2f} to {passage.end:.2f})"
    url = links.watch_url(shown.person, video, passage.start, passage.end)
    yield Padding(Text.assemble((seconds, "green"), f"  {url}"), (0, 2))
    if shown.before:
        yield Padding(Text(f"… {shown.before.text}", style="dim"), (1, 2, 0, 2))
    yield Padding(Text(passage.text), (0, 2))
    if shown.after:
        yield Padding(Text(f"{shown.after.text} …", style="dim"), (0, 2))
    yield Text()


def _as_json(shown: Shown) -> dict[str, object]:
    passage = shown.passage
    return {
        "passage_id": passage.id,
        "person": shown.person,
        "video_id": passage.video.id,
        "title": passage.video.title,
        "published": passage.video.published,
        "start": round(passage.start, 2),
        "end": round(passage.end, 2),
        "text": passage.text,
        "url": links.watch_url(shown.person, passage.video, passage.start, passage.end),
        "before": _neighbour(shown.before),
        "after": _neighbour(shown.after),
    }


def _neighbour(span: Span | None) -> dict[str, object] | None:
    return None if span is None else {"passage_id": span.id, "text": span.text}
