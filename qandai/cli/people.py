"""`people`, `people check`, `people new`."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from qandai import compose
from qandai.errors import PersonFileError, QandaiError, UsageError
from qandai.settings import Settings

TEMPLATE = """\
# Only the name is needed. Take the `#` away from what you want to say; `qandai people check` tells what is wrong, with
# the line. An editor that knows YAML's language server completes the keys and explains them.
# yaml-language-server: $schema=schema.json
name: {name}
language: en  # of the speech

# sources:
#   - audio: audio/{slug}  # a folder below the home
#   - youtube: https://www.youtube.com/@handle/videos
#     exclude: [trailer]  # also include, min_minutes, max_minutes, after, before, limit
#   - feed: https://example.org/feed.xml

# tagline: One line under the name
# portrait: {slug}.jpg  # a picture beside this file
# speaker: interview  # or solo; an interview's clips start after the question
# host: The interviewer's name  # when captions carry names
# vocabulary: [Qubes OS]  # spellings for speech to text
# mishearings: {{cubes os: Qubes OS}}  # heard: meant
# suggested_questions:
#   - What would a visitor ask first?
"""


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Who is there, with what is covered."""
    if ctx.invoked_subcommand is not None:
        return
    rows = [_row(ctx.obj, slug) for slug in compose.people(ctx.obj).slugs()]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    elif not rows:
        click.echo("Nobody yet. Try: qandai people new NAME")
    else:
        Console().print(_table(rows))
    if any("error" in row for row in rows):
        ctx.exit(1)


def _row(settings: Settings, slug: str) -> dict[str, object]:
    row: dict[str, object] = {"person": slug}
    try:
        row["name"] = compose.people(settings).get(slug).name
        row["transcripts"] = len(compose.transcripts(settings).ids(slug))
        held = compose.coverage(settings, slug)
        if held is not None:
            row |= {"videos": held.videos, "hours": round(held.hours, 2), "from": held.since, "to": held.until}
            row["indexed_at"] = held.indexed_at
    except QandaiError as exc:
        row["error"] = str(exc)
    return row


def _table(rows: list[dict[str, object]]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("person", "name", "transcripts", "indexed", "hours", "from", "to"):
        table.add_column(heading, justify="right" if heading in ("transcripts", "indexed", "hours") else "left")
    for row in rows:
        if "error" in row:
            table.add_row(str(row["person"]), f"[red]{row['error']}[/red]")
            continue
        cells = (row["name"], row["transcripts"], row.get("videos", "–"), row.get("hours", "–"))
        table.add_row(str(row["person"]), *map(str, cells), str(row.get("from") or "–"), str(row.get("to") or "–"))
    return table


@command.command()
@click.pass_context
def check(ctx: click.Context) -> None:
    """Validate every person file."""
    people = compose.people(ctx.obj)
    broken = 0
    for slug in people.slugs():
        try:
            person = people.get(slug)
        except PersonFileError as exc:
            broken += 1
            click.echo(str(exc), err=True)
        else:
            click.echo(f"ok  people/{slug}.yaml  {person.name}")
    if broken:
        click.echo(f"{broken} person file(s) refused. Mend the lines above.", err=True)
        ctx.exit(1)


@command.command()
@click.argument("name")
@click.pass_context
def new(ctx: click.Context, name: str) -> None:
    """A commented person file to start from."""
    slug = compose.slug_of(name)
    if fault := compose.slug_fault(slug):
        raise UsageError(f"No file name can be made of {name!r}: {fault}.")
    path: Path = ctx.obj.home / "people" / f"{slug}.yaml"
    if path.exists():
        raise UsageError(f"people/{slug}.yaml is there already.")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TEMPLATE.format(name=json.dumps(name, ensure_ascii=False), slug=slug), encoding="utf-8")
    schema = json.dumps(compose.person_schema(), indent=2, ensure_ascii=False)
    path.with_name("schema.json").write_text(f"{schema}\n", encoding="utf-8")
    click.echo(f"people/{slug}.yaml written. Next: name the sources in it, then: qandai ingest {slug} --dry-run")
    click.echo(f"Or take captions from disk: qandai import {slug} FILE…, then: qandai index {slug}")
