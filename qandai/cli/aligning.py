"""`align`: where in a transcript a quote was said."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track

from qandai import compose
from qandai.align import Alignment, align, start_of
from qandai.alignment.claims import Claim
from qandai.alignment.haystack import Haystack
from qandai.clips import clip
from qandai.errors import QandaiError, TranscriptError, UsageError
from qandai.ingest.captions.formats import MOST_BYTES
from qandai.ingest.importing import Told, transcript_of
from qandai.links import timestamp
from qandai.model import Quote, Transcript
from qandai.settings import Settings

_LONGEST_LINE = 100_000  # characters; an hour of speech is about 60,000
_MOST_BYTES = 256 * 2**20
_MOST_FAULTS = 20


@dataclass(frozen=True, slots=True)
class Wanted:
    """One quote to find. `id` is what the caller calls it; None for a quote from the command line."""

    id: str | int | None
    quote: str


@click.command()
@click.argument("transcript", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("quote", required=False)
@click.option(
    "--quotes",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='Quotes from a file, {"id": …, "quote": "…"} a line.',
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object a line.")
@click.pass_context
def command(ctx: click.Context, transcript: Path, quote: str | None, file: Path | None, as_json: bool) -> None:
    """Find where in TRANSCRIPT the words of QUOTE were said.

    A quote that was never said, or that is too short to tell which of several places is meant, is reported as not
    found; that is not a failure.
    """
    if (quote is None) == (file is None):
        raise UsageError("Give either a QUOTE or --quotes FILE.")
    wanted = [Wanted(None, quote)] if quote is not None else read_quotes(file or Path())
    settings: Settings = ctx.obj
    hay = Haystack(read_recording(transcript).row)
    quiet = not Console(stderr=True).is_terminal or len(wanted) < 100
    for one in track(wanted, "Aligning", console=Console(stderr=True), transient=True, disable=quiet):
        row = found_row(one, align(one.quote, [hay]), lead=settings.lead_seconds)
        click.echo(json.dumps(row, ensure_ascii=False) if as_json else _line(row, one.quote))


def read_recording(path: Path) -> Transcript:
    """A transcript file, or a caption file that would be imported as one. Raises TranscriptError."""
    try:
        return compose.read_transcript(path)
    except TranscriptError:
        with path.open("rb") as file, suppress(TranscriptError):
            return transcript_of(path.name, file.read(MOST_BYTES + 1), Told(), at="")[1]
        raise


def found_row(wanted: Wanted, found: Alignment | None, *, lead: float) -> dict[str, object]:
    """What is printed of one quote: `start` is its first word, `play` is where a player starts."""
    if found is None:
        return dict.fromkeys(("id", "found", "start", "end", "play", "score", "text", "exact")) | {
            "id": wanted.id,
            "found": False,
            "exact": False,
        }
    played = clip(Quote(found.span, found.match), lead=lead)
    return {
        "id": wanted.id,
        "found": True,
        "start": round(start_of(found.span)[0], 3),
        "end": round(played.end, 3),
        "play": round(played.start, 3),
        "score": found.score,
        "text": found.span.text,
        "exact": played.exact,
    }


def _line(row: dict[str, object], quote: str) -> str:
    name = "" if row["id"] is None else f"{row['id']}: "
    start, end = row["start"], row["end"]
    if not isinstance(start, float) or not isinstance(end, float):
        return f"{name}not said" + (", or not only once" if Claim.read(quote).whole.is_short else "")
    guessed = "" if row["exact"] else ", start estimated"
    return f"{name}{timestamp(start)}-{timestamp(end)} ({start:.2f} s, score {row['score']:g}{guessed}) {row['text']}"


def read_quotes(path: Path) -> list[Wanted]:
    """The quotes of a file. Raises QandaiError with the line and the reason of what is wrong in it."""
    if path.stat().st_size > _MOST_BYTES:
        raise QandaiError(f"{path} is larger than {_MOST_BYTES // 2**20} MB.", hint="Split it.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as exc:
        raise QandaiError(f"{path} is not UTF-8: {exc.reason} at byte {exc.start}.") from exc
    wanted: list[Wanted] = []
    faults: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            wanted.append(read_quote(line))
        except ValueError as exc:
            faults.append(f"{path}:{number}: {exc}")
    if faults:
        raise QandaiError("\n".join(_first(faults)), hint='A line is {"id": "q1", "quote": "the words"}.')
    return wanted


def read_quote(line: str) -> Wanted:
    """One line of a quotes file. Raises ValueError with the reason."""
    if len(line) > _LONGEST_LINE:
        raise ValueError(f"longer than {_LONGEST_LINE:,} characters")
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise ValueError(f"not JSON ({getattr(exc, 'msg', 'nested too deeply')})") from exc
    if not isinstance(document, dict):
        raise ValueError(f"an object was expected, not {type(document).__name__}")
    name, quote = document.get("id"), document.get("quote")
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise ValueError('"id" must be a text or a whole number')
    if not str(name).isprintable():  # half of a surrogate pair could not even be printed back
        raise ValueError('"id" holds a character that cannot be printed')
    if not isinstance(quote, str) or not quote.strip():
        raise ValueError('"quote" must be a text that is not empty')
    return Wanted(name, quote)


def _first(faults: Sequence[str]) -> list[str]:
    more = len(faults) - _MOST_FAULTS
    return [*faults[:_MOST_FAULTS], *([f"and {more} more"] if more > 0 else [])]
