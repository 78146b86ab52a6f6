"""Builds what brings recordings in. Apart from `compose`, so that the server never meets what only ingest needs."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from qandai import compose
from qandai.adapters import ytdlp_setup
from qandai.adapters.audio_folders import AudioFiles
from qandai.adapters.ledgers import WaitFile
from qandai.adapters.transcripts import TranscriptFiles
from qandai.adapters.ytdlp import Access, Opens, YtDlp
from qandai.errors import AccessRefused, ModelMissing, ProviderError, Throttled, ToolMissing, UsageError
from qandai.ingest.forgetting import Erase, Forgetter
from qandai.ingest.outcome import Absent, Heard, Later, Origin, Transcribe
from qandai.ingest.pipeline import Ingester
from qandai.ingest.podcast import Folder, Podcast
from qandai.ingest.youtube import YouTube
from qandai.model import Person, Video
from qandai.origins import Place
from qandai.settings import Settings

Hearing = Callable[[Video, float, float], None]
"""Told a recording that is transcribed, the seconds done and their total. Called from several threads."""


def waits(settings: Settings) -> WaitFile:
    return WaitFile(settings.store / "ingest" / "waits.json")


def js_runtime(settings: Settings) -> str | None:
    """yt-dlp's name of what runs YouTube's scripts; None where nothing does."""
    if settings.js_runtime == "none":
        return None
    if settings.js_runtime != "auto":
        return settings.js_runtime
    return ytdlp_setup.found_runtime()


def access(settings: Settings) -> Access:
    clients = settings.youtube_clients or ""
    return Access(
        settings.store / "ingest" / "youtube",
        runtime=js_runtime(settings),
        cookies=settings.youtube_cookies,
        proxy=settings.youtube_proxy,
        clients=tuple(name.strip() for name in clients.split(",") if name.strip()),
        pause=settings.youtube_pause,
    )


def youtube(settings: Settings, *, opens: Opens | None = None) -> YtDlp:
    return YtDlp(access(settings), opens=opens)


@contextmanager
def ingester(
    settings: Settings,
    *,
    opens: Opens | None = None,
    index: bool = True,
    hearing: Hearing | None = None,
) -> Iterator[Ingester]:
    """`opens` makes yt-dlp's site."""
    work = settings.store / "ingest" / "work"
    work.mkdir(parents=True, exist_ok=True)
    _sweep(work)
    with speech(settings, hearing) as ears:
        origins: dict[Place, Origin] = {
            "youtube": YouTube(youtube(settings, opens=opens), ears.transcribe, now=_now, work=work),
            "audio": Folder(_audio_files(settings), ears.transcribe, at_once=ears.at_once),
            "feed": _feeds(settings, ears.transcribe, work),
        }
        yield Ingester(
            origins,
            compose.transcripts(settings),
            compose.ledgers(settings),
            waits(settings),
            indexer=compose.indexer(settings) if index else None,
            refused=partial(refused, settings),
            now=_now,
        )


def refused(settings: Settings, slug: str) -> Mapping[str, datetime]:
    """When a visitor's player last refused a person's video, by id. Raises DatabaseFailed."""
    with closing(compose.feedback(settings)) as notes:
        # In whole seconds, as the ledger remembers when it looked.
        return {video_id: refusal.last.replace(microsecond=0) for video_id, refusal in notes.refusals(slug).items()}


@dataclass(frozen=True, slots=True)
class Ears:
    """Speech to text, and how many recordings it hears side by side."""

    transcribe: Transcribe
    at_once: int = 1


@contextmanager
def speech(settings: Settings, hearing: Hearing | None = None) -> Iterator[Ears]:
    """Speech to text as the settings name it. Raises UsageError for a service without its key."""
    from qandai.adapters.ffmpeg import Ffmpeg
    from qandai.adapters.heard_files import HeardFiles
    from qandai.adapters.transcribers import recordings_at_once, transcriber
    from qandai.ingest.transcribe.recordings import transcribe_with
    from qandai.ingest.transcribe.story import Scribe

    try:
        service = transcriber(settings)
    except ModelMissing as missing:
        yield Ears(_unable(missing))
        return
    scribe = Scribe(service, Ffmpeg(), HeardFiles(_heard_folder(settings)))
    try:
        yield Ears(_apart(transcribe_with(scribe, now=_now, progress=hearing)), recordings_at_once(service))
    finally:
        scribe.stop()
        service.close()


def _apart(transcribe: Transcribe) -> Transcribe:
    """The transcription service's refusals, told apart from those of the place that a recording comes from."""

    def told(recording: Path, video: Video, person: Person) -> Heard | Later:
        try:
            return transcribe(recording, video, person)
        except AccessRefused as exc:
            raise UsageError(exc.message, hint=exc.hint) from exc
        except ProviderError as exc:
            wait = exc.wait if isinstance(exc, Throttled) else None
            return Later(f"speech to text: {exc.message}", _now() + timedelta(seconds=wait) if wait else None)

    return told


def _unable(missing: ModelMissing) -> Transcribe:
    def transcribe(recording: Path, video: Video, person: Person) -> Heard | Later:  # noqa: ARG001 # the port's form
        raise ModelMissing(f"no speech to text: {missing.message}", hint=missing.hint) from missing

    return transcribe


def price(settings: Settings, durations: Sequence[float | None]) -> str:
    """What it would cost to transcribe recordings of so many seconds (None: unknown), in one line."""
    from qandai.adapters.transcribers import transcriber
    from qandai.ingest.transcribe.cost import cost

    try:
        service = transcriber(settings)
    except ModelMissing as missing:
        return str(missing)
    try:
        return f"{cost(durations, service.limits)} ({service.model})"
    finally:
        service.close()


def forgetter(settings: Settings, erasers: Sequence[Erase] = ()) -> Forgetter:
    """`erasers` remove what other rooms keep: cached answers, logged quotes."""
    files = TranscriptFiles(settings.home / "transcripts")
    return Forgetter(
        files, compose.ledgers(settings), (_vectors(settings), _heard(settings), _notes(settings), *erasers), now=_now
    )


def _vectors(settings: Settings) -> Erase:
    from qandai.adapters.vault import VectorVault

    def erase(slug: str, ids: Sequence[str]) -> str:  # noqa: ARG001 # vectors are kept by recording, not by person
        vault = VectorVault(settings.store / "vectors")
        for video_id in ids:
            vault.forget(video_id)
        return "cached vectors"

    return erase


def _heard(settings: Settings) -> Erase:
    from qandai.adapters.heard_files import HeardFiles

    def erase(slug: str, ids: Sequence[str]) -> str:  # noqa: ARG001 # kept by recording, not by person
        cache = HeardFiles(_heard_folder(settings))
        return "what speech to text heard" if sum([cache.forget(video_id) for video_id in ids]) else ""

    return erase


def _heard_folder(settings: Settings) -> Path:
    return settings.store / "ingest" / "heard"


def _notes(settings: Settings) -> Erase:
    def erase(slug: str, ids: Sequence[str]) -> str:
        with closing(compose.feedback(settings)) as notes:
            gone = sum([notes.forget(slug, video_id) for video_id in ids])
        return "what visitors reported" if gone else ""

    return erase


def _audio_files(settings: Settings) -> AudioFiles:
    return AudioFiles(settings.home, settings.store / "ingest" / "audio.json")


def _feeds(settings: Settings, transcribe: Transcribe, work: Path) -> Origin:
    try:
        from qandai.adapters.feeds import HttpFeeds
    except ImportError:
        return Absent("feed", ToolMissing("Feeds need feedparser.", hint="Try: pip install feedparser"))
    feeds = HttpFeeds(settings.store / "ingest" / "feeds", most_audio_bytes=settings.max_audio_mb * 1_000_000)
    return Podcast(feeds, transcribe, now=_now, work=work)


def _sweep(work: Path) -> None:
    """What killed runs left behind; a day old, so that it is nobody's who still runs."""
    for left in work.glob("ingest-*"):
        if time.time() - left.stat().st_mtime > 86400:
            shutil.rmtree(left, ignore_errors=True)


def _now() -> datetime:
    return datetime.now(UTC)
