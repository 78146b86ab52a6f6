"""`import`: caption and speech-to-text files from disk."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import click

from qandai import compose
from qandai.errors import UsageError
from qandai.ingest.importing import Imported, NotImported, Told, import_files
from qandai.settings import Settings


@click.command("import")
@click.argument("person")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@click.option("--video-id", help="Id of the recording (one file only).")
@click.option("--title", help="Title of the recording (one file only).")
@click.option("--published", help="Day of publication, as 2024-05-31.")
@click.option("--url", help="Where the recording plays: YouTube, an audio address, an audio file (one file only).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    person: str,
    files: tuple[Path, ...],
    video_id: str | None,
    title: str | None,
    published: str | None,
    url: str | None,
    as_json: bool,
) -> None:
    """Take caption and speech-to-text files of PERSON from disk.

    json3, WebVTT, SRT, the JSON of Whisper and its kin, lists of segments: the content tells the format. Nothing is
    indexed.
    """
    settings: Settings = ctx.obj
    if fault := compose.slug_fault(person):
        raise UsageError(f"{fault}.", hint="PERSON is the name of a file in people/, without .yaml.")
    for option, value in (("--video-id", video_id), ("--title", title), ("--url", url)):
        if value is not None and len(files) > 1:
            raise UsageError(f"{option} names one recording, but {len(files)} files are given.")
    told = Told(video_id, title, published, url)
    at = datetime.now(UTC).isoformat(timespec="seconds")
    results: list[Imported | NotImported] = []
    for result in import_files(compose.transcripts(settings), person, files, told, at=at):
        results.append(result)
        if not as_json:
            _say(result)
    follow = f"qandai index {person}"
    if as_json:
        click.echo(
            json.dumps(
                {"person": person, "files": [_row(r) for r in results], "next": follow}, ensure_ascii=False, indent=2
            )
        )
    elif any(isinstance(result, Imported) for result in results):
        click.echo(f"Not indexed yet. Next: {follow}")
    if person not in compose.people(settings).slugs():
        click.echo(f"There is no people/{person}.yaml yet: a file with `name: …` is enough.", err=True)
    if any(isinstance(result, NotImported) for result in results):
        ctx.exit(1)


def _say(result: Imported | NotImported) -> None:
    if isinstance(result, NotImported):
        click.echo(f"{result.file}: refused: {result.reason}", err=True)
        return
    parts = [f"{result.words} words", f"{result.exact_share:.0%} exactly timed"]
    parts += [f"{reason}: {count}" for reason, count in sorted(result.repairs.items())]
    again = " (replaced)" if result.replaced else ""
    click.echo(f"{result.file}: {result.video_id}{again}, {', '.join(parts)}")


def _row(result: Imported | NotImported) -> dict[str, object]:
    if isinstance(result, NotImported):
        return {"file": result.file, "error": result.reason}
    return {
        "file": result.file,
        "video_id": result.video_id,
        "title": result.title,
        "format": result.format,
        "words": result.words,
        "exact_share": round(result.exact_share, 4),
        "repairs": dict(result.repairs),
        "replaced": result.replaced,
    }
