"""What is wrong on this machine, and what to do. Each check is a few lines; a new one is a line in `diagnoses`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Literal

from qandai import compose, compose_doctor_youtube, compose_ingest
from qandai.adapters.generations import Generations, Pointer, mend
from qandai.adapters.key_check import check_key
from qandai.adapters.transcribers import transcriber
from qandai.adapters.writers import holder
from qandai.adapters.ytdlp import Opens
from qandai.compose_models import not_offered, of_vendor, provider_and_models
from qandai.errors import AccessRefused, ModelMissing, ProviderError, QandaiError, StoreError
from qandai.findings import Finding
from qandai.model import Person
from qandai.settings import Settings

_NEVER = datetime.min.replace(tzinfo=UTC)
_LEAST_FREE = 512 * 2**20


def diagnoses(
    settings: Settings, *, online: bool, today: date | None = None, opens: Opens | None = None
) -> Iterator[Finding]:
    """`online`: services are asked too. `opens` makes yt-dlp's site."""
    persons, refused = _persons(settings)
    yield from refused
    asks_youtube = any(source.kind.startswith("youtube") for person in persons for source in person.sources)
    day = today or datetime.now(UTC).date()
    yield from compose_doctor_youtube.diagnoses(settings, wanted=asks_youtube, online=online, today=day, opens=opens)
    yield from _ffmpeg()
    yield from _speech(settings)
    yield from _keys(settings, online)
    yield from _models(settings, online)
    for person in persons:
        yield from _index(settings, person)
    yield _reports(settings, persons)
    yield from _disk(settings)


def _persons(settings: Settings) -> tuple[list[Person], list[Finding]]:
    people = compose.people(settings)
    good: list[Person] = []
    bad: list[Finding] = []
    for slug in people.slugs():
        try:
            good.append(people.get(slug))
        except QandaiError as exc:
            bad.append(Finding("person file", "fault", str(exc), "Mend the lines named; then: qandai people check"))
    if not good and not bad:
        bad.append(Finding("people", "note", "nobody yet", "Try: qandai people new NAME"))
    return good, bad


def _ffmpeg() -> Iterator[Finding]:
    missing = [program for program in ("ffmpeg", "ffprobe") if shutil.which(program) is None]
    if missing:
        said = f"{' and '.join(missing)} missing: recordings cannot be heard"
        yield Finding("ffmpeg", "fault", said, "apt-get install ffmpeg, or brew install ffmpeg")
    else:
        yield Finding("ffmpeg", "ok", "installed")


def _speech(settings: Settings) -> Iterator[Finding]:
    try:
        service = transcriber(settings)
    except ModelMissing as exc:
        yield Finding("speech to text", "note", exc.message, exc.hint)
    except QandaiError as exc:
        yield Finding("speech to text", "fault", f"key missing: {exc.message}", exc.hint)
    else:
        yield Finding("speech to text", "ok", service.model)
        service.close()


def _keys(settings: Settings, online: bool) -> Iterator[Finding]:
    for name, url, key in (
        ("GROQ_API_KEY", settings.groq_base_url, settings.groq_api_key),
        ("OPENAI_API_KEY", settings.openai_base_url, settings.openai_api_key),
    ):
        if not key or not online:
            continue
        try:
            check_key(url, key)
        except AccessRefused as exc:
            yield Finding(name, "fault", f"key refused: {exc.message}", "Make a new one and set it in .env")
        except ProviderError as exc:
            yield Finding(name, "fault", exc.message, "Is the network there?")
        else:
            yield Finding(name, "ok", "accepted")


def _models(settings: Settings, online: bool) -> Iterator[Finding]:
    try:
        kind, named = provider_and_models(settings)
    except QandaiError as exc:
        yield Finding("language models", "fault", exc.message, exc.hint)
        return
    with suppress(ProviderError):  # told of the key
        if online and (gone := not_offered(settings)):
            state: Literal["note", "fault"] = "fault" if of_vendor(settings) else "note"  # some servers take any name
            about = f"{kind} does not offer {', '.join(gone)}"
            yield Finding("language models", state, about, "Name others: docs/models.md lists the variables")
            return
    yield Finding("language models", "ok", f"{kind}: {', '.join(named)}" if named else kind)


def _index(settings: Settings, person: Person) -> Iterator[Finding]:
    slug = person.slug
    for folder, does in ((settings.store / slug, "indexed"), (settings.store / "ingest" / slug, "ingested")):
        if first := holder(folder):
            said = f"locked: being {does} by `{first.command}` (process {first.pid}, since {first.since})"
            yield Finding(slug, "note", said, f"Wait for it, or stop it: kill {first.pid}")
    if not compose.transcripts(settings).ids(slug):
        if person.sources:
            yield Finding(slug, "note", "no transcripts yet", f"qandai ingest {slug}")
        else:
            mend_it = f"Name its sources in people/{slug}.yaml, or: qandai import {slug} FILE…"
            yield Finding(slug, "note", "no transcripts and no sources", mend_it)
        return
    try:
        current = Generations(settings.store / slug).current()
        if current is None:
            yield Finding(slug, "fault", "not indexed yet", f"qandai index {slug}")
            return
        with compose.shelves(settings, compose.Embedders(settings)).borrow(slug) as shelf:
            held = set(shelf.videos)
    except StoreError as exc:
        yield Finding(slug, "fault", exc.message, exc.hint or mend(slug))
        return
    except QandaiError as exc:
        yield Finding(slug, "fault", exc.message, exc.hint)
        return
    yield _in_step(settings, slug, held, current)


def _reports(settings: Settings, persons: Sequence[Person]) -> Finding:
    """What visitors reported. Looks only: a database that is not there yet is made by `serve`."""
    try:
        compose_ingest.refused(settings, "")
        waiting = {person.slug: count for person in persons if (count := _unchecked(settings, person.slug))}
    except QandaiError as exc:
        return Finding("reports", "fault", exc.message, exc.hint)
    if waiting:
        said = ", ".join(f"{count} of {slug}" for slug, count in waiting.items())
        return Finding(
            "reports", "note", f"videos that players refused: {said}", f"qandai ingest {next(iter(waiting))}"
        )
    return Finding("reports", "ok", "no video that a player refused waits for a look")


def _unchecked(settings: Settings, slug: str) -> int:
    """Videos that a visitor's player refused after ingest last saw them play."""
    entries = compose.ledgers(settings).read(slug)
    return sum(
        video_id in entries and (entries[video_id].checked or _NEVER) < last
        for video_id, last in compose_ingest.refused(settings, slug).items()
    )


def _in_step(settings: Settings, slug: str, held: set[str], current: Pointer) -> Finding:
    """Whether the index holds what it should, as far as names and times of files tell."""
    wanted = set(compose.searchable(settings).ids(slug))
    if held != wanted:
        said = f"index stale: {len(wanted - held)} recordings are missing in it, {len(held - wanted)} too many"
        return Finding(slug, "fault", said, f"qandai index {slug}")
    folder = settings.home / "transcripts" / slug
    files = [path for pattern in ("*.json", "*.edits.yaml") for path in folder.glob(pattern)]
    made = datetime.fromisoformat(current.made_at).timestamp()
    if any(path.stat().st_mtime > made for path in files):
        return Finding(slug, "note", "transcripts were written after the last index", f"qandai index {slug}")
    return Finding(slug, "ok", f"{len(held)} recordings, {current.passages} passages")


def _disk(settings: Settings) -> Iterator[Finding]:
    free = shutil.disk_usage(settings.home).free
    if free < _LEAST_FREE:
        yield Finding("disk", "fault", f"{free >> 20} MB free", "Free some: indexing copies a person's collection")
