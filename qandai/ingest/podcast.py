"""The stories of an audio file in a folder and of an episode of a feed."""

from __future__ import annotations

import hashlib
import tempfile
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from qandai.errors import ProviderError, ToolMissing, TranscriptError
from qandai.ingest.captions import parse
from qandai.ingest.choice import base
from qandai.ingest.outcome import Got, Item, Later, Outcome, Transcribe
from qandai.model import Person, Provenance, Source, Transcript, Video
from qandai.origins import AudioFolders, Chapter, Entry, Episode, Feeds, Place

NO_SOUND = "no sound in it"
_TYPES = ("json", "vtt", "subrip", "srt")  # by what they tell of words and speakers; web pages have no times
_GLOBAL_GUID = 16  # characters from which on a guid is nobody else's


class Folder:
    """The `Origin` of audio folders."""

    place: Place = "audio"

    def __init__(self, files: AudioFolders, transcribe: Transcribe | None, *, at_once: int = 1) -> None:
        self._files = files
        self._transcribe = transcribe
        self.at_once = at_once

    def list(self, source: Source, person: Person) -> tuple[Item, ...]:
        items: dict[str, Item] = {}
        for folder in source.at:
            for file in self._files.find(folder):
                entry = Entry(
                    file.id,
                    "found",
                    "audio",
                    title=file.title,
                    duration=file.duration,
                    published=file.published,
                    url=file.path,
                )
                if file.duration is None:
                    entry = replace(entry, state="skipped", reason=NO_SOUND)
                items.setdefault(file.id, Item(entry, source))
        return tuple(items.values())

    def fetch(self, item: Item, person: Person) -> Outcome:
        entry = item.entry
        assert entry.url is not None
        video = Video(
            entry.id,
            entry.title,
            "audio",
            entry.url,
            entry.published,
            entry.duration,
            channel=person.name,
            language=person.language,
        )
        heard = _transcriber(self._transcribe)(self._files.open(entry.url), video, person)
        return heard if isinstance(heard, Later) else Got(heard.transcript, rest=heard.rest)

    def listens(self, entry: Entry, person: Person) -> bool:
        return True

    def gone(self, entry: Entry) -> str | None:
        return None if entry.url and self._files.open(entry.url).is_file() else "the file is gone"


class Podcast:
    """The `Origin` of feeds. Remembers the episodes that its last listing showed."""

    place: Place = "feed"
    at_once = 1

    def __init__(
        self, feeds: Feeds, transcribe: Transcribe | None, *, now: Callable[[], datetime], work: Path | None = None
    ) -> None:
        self._feeds = feeds
        self._transcribe = transcribe
        self._now = now
        self._work = work
        self._shown: dict[str, tuple[str, str, Episode]] = {}  # id: feed's address, its title, episode

    def list(self, source: Source, person: Person) -> tuple[Item, ...]:
        items: dict[str, Item] = {}
        for address in source.at:
            feed = self._feeds.read(address)
            for episode in feed.episodes:
                video_id = id_of(episode.guid, address)
                self._shown[video_id] = (address, feed.title, episode)
                entry = Entry(
                    video_id,
                    "found",
                    "feed",
                    title=episode.title,
                    duration=episode.duration,
                    published=episode.published,
                    url=episode.audio,
                )
                items.setdefault(video_id, Item(entry, source))
        return tuple(items.values())

    def fetch(self, item: Item, person: Person) -> Outcome:
        if item.entry.id not in self._shown:
            return Later("its feed does not show it now")
        address, channel, episode = self._shown[item.entry.id]
        video = Video(
            item.entry.id,
            episode.title,
            "audio",
            episode.audio,
            episode.published,
            episode.duration,
            channel=channel,
            language=person.language,
        )
        refusals: list[str] = []
        for url, _, language in _usable(episode, person.language):
            try:
                transcript = self._published(url, video, address, language)
            except TranscriptError as exc:
                refusals.append(f"{url}: {exc.message}")
            else:
                return Got(self._in_chapters(transcript, episode, address), "the publisher's transcript")
        return self._listen(video, episode, address, person, refusals)

    def listens(self, entry: Entry, person: Person) -> bool:
        shown = self._shown.get(entry.id)
        return shown is None or not _usable(shown[2], person.language)

    def gone(self, entry: Entry) -> str | None:
        return None  # an address that fails today says nothing about tomorrow

    def _published(self, url: str, video: Video, feed: str, language: str | None) -> Transcript:
        """Its times are taken for estimates: every download may hold other advertisements."""
        parsed = parse(self._feeds.transcript(url, feed=feed), media_duration=None)
        words = tuple(replace(word, exact=False) for word in parsed.words)
        provenance = Provenance("imported", origin=url, fetched_at=self._now().isoformat(timespec="seconds"))
        spoken = replace(video, language=language or parsed.language or video.language)
        return Transcript(spoken, words, provenance, parsed.segments, parsed.gaps, parsed.repairs)

    def _listen(self, video: Video, episode: Episode, feed: str, person: Person, refusals: Sequence[str]) -> Outcome:
        transcribe = _transcriber(self._transcribe)
        with tempfile.TemporaryDirectory(dir=self._work, prefix="ingest-") as folder:
            recording = self._feeds.audio(episode.audio, Path(folder), feed=feed)
            heard = transcribe(recording, video, person)
            if isinstance(heard, Later):
                return heard
            with recording.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()[:16]
            copy = f"{episode.audio} ({recording.stat().st_size} bytes, sha256 {digest})"
        provenance = replace(heard.transcript.provenance, origin=copy)
        transcript = replace(heard.transcript, provenance=provenance)
        return Got(self._in_chapters(transcript, episode, feed), "; ".join(refusals), heard.rest)

    def _in_chapters(self, transcript: Transcript, episode: Episode, feed: str) -> Transcript:
        """A segment begins where a chapter does. Chapters are worth no failure."""
        chapters = episode.chapters
        if episode.chapters_url and not chapters:
            try:
                chapters = self._feeds.chapters(episode.chapters_url, feed=feed)
            except ProviderError:
                return transcript
        return cut_at(transcript, chapters)


def cut_at(transcript: Transcript, chapters: Sequence[Chapter]) -> Transcript:
    """With a segment more for each chapter, from its first word on."""
    starts = [word.start for word in transcript.words]
    places = {bisect_left(starts, chapter.start) for chapter in chapters}
    segments = {*transcript.segments, *(place for place in places if place < len(starts))}
    return replace(transcript, segments=tuple(sorted(segments)))


def id_of(guid: str, feed: str) -> str:
    """An episode's id. A short guid ("123") may stand in other feeds too."""
    name = guid if len(guid) >= _GLOBAL_GUID or "://" in guid else f"{feed} {guid}"
    return hashlib.sha256(name.encode()).hexdigest()[:16]


def _usable(episode: Episode, language: str) -> list[tuple[str, str, str | None]]:
    """Transcripts with times in the language, those that tell most first."""

    def rank(found: tuple[str, str, str | None]) -> int:
        return next((n for n, kind in enumerate(_TYPES) if kind in found[1]), len(_TYPES))

    fitting = [t for t in episode.transcripts if t[2] is None or base(t[2]) == base(language)]
    return sorted((t for t in fitting if rank(t) < len(_TYPES)), key=rank)


def _transcriber(transcribe: Transcribe | None) -> Transcribe:
    if transcribe is None:
        raise ToolMissing("no speech to text", hint="Set a key, or: pip install faster-whisper")
    return transcribe
