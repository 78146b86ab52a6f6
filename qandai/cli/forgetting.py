"""`forget`: remove a recording, or all of a person's, for good."""

from __future__ import annotations

import json

import click

from qandai import compose, compose_ingest
from qandai.errors import QandaiError
from qandai.settings import Settings


@click.command("forget")
@click.argument("person")
@click.argument("video", required=False)
@click.option("--yes", is_flag=True, help="Do not ask before everything of a person is removed.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
@click.pass_context
def command(ctx: click.Context, person: str, video: str | None, *, yes: bool, as_json: bool) -> None:
    """Remove VIDEO, or all recordings of PERSON: transcripts, vectors, cached answers, logged quotes.

    They are not fetched again. The person file and files in audio/ stay: they are yours to delete.
    """
    settings: Settings = ctx.obj
    if video is None and not yes:
        click.confirm(f"Remove every transcript of {person}?", abort=True, err=True)
    done = compose_ingest.forgetter(settings).forget(person, video)
    indexed = "the index"
    try:
        compose.indexer(settings).index(person)
    except QandaiError as exc:
        indexed = ""
        click.echo(f"The index still holds it: {exc} Then: qandai index {person}", err=True)
    erased = [*done.erased, *([indexed] if indexed else [])]
    if as_json:
        click.echo(
            json.dumps({"person": person, "forgotten": done.ids, "erased": erased}, ensure_ascii=False, indent=2)
        )
    else:
        click.echo(f"{person}: {len(done.ids)} forgotten; removed from {', '.join(['transcripts', *erased])}.")
    ctx.exit(0 if indexed else 1)
