"""The story of `import`: a caption or speech-to-text file becomes a transcript of a person. Nothing is indexed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from qandai.errors import QandaiError, TranscriptError, UsageError
from qandai.ingest.captions import Parsed, parse
from qandai.ingest.captions.facts import is_date
from qandai.ingest.captions.formats import MOST_BYTES
from qandai.links import youtube_id
from qandai.model import Provenance, SourceKind, Transcript, Video
from qandai.ports import Transcripts

VIDEO_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_BRACKETED_ID = re.compile(r"\[([A-Za-z0-9_-]{11})\]")
_ID_IN_NAME = re.compile(r"(?:\A|[._ -])([A-Za-z0-9_-]{11})(?=\Z|[. ])")
_LANGUAGE_IN_NAME = re.compile(r"[^.]\.([a-z]{2,3}(?:-[A-Za-z0-9]{2,8})?)(?:-orig)?\.[^.]+\Z")
_ENDINGS = re.compile(r"(?:\.(?:json3?|vtt|srt|txt|srv\d|whisper|words|transcript))+\Z", re.IGNORECASE)
_AUDIO = (".mp3", ".m4a", ".m4b", ".aac", ".ogg", ".oga", ".opus", ".flac", ".wav", ".webm")
_LONGEST_TITLE = 300


@dataclass(frozen=True, slots=True)
class Told:
    """What the caller knows of the recording; None leaves it to the file. Raises UsageError where it cannot be."""

    video_id: str | None = None
    title: str | None = None
    published: str | None = None
    url: str | None = None

    def __post_init__(self) -> None:
        if self.video_id is not None and not VIDEO_ID.match(self.video_id):
            raise UsageError(f"{self.video_id!r} is no video id: letters, digits, - and _, at most 64.")
        if self.title is not None and not 0 < len(self.title.strip()) <= _LONGEST_TITLE:
            raise UsageError(f"A title has 1 to {_LONGEST_TITLE} characters.")
        if self.published is not None and not is_date(self.published):
            raise UsageError(f"{self.published!r} is no date.", hint="Write it as 2024-05-31.")
        if self.url is not None and not _is_address(self.url):
            raise UsageError(f"{self.url!r} is neither an http(s) address nor a path below the home.")


@dataclass(frozen=True, slots=True)
class Imported:
    """`repairs` counts words by reason; `replaced`: there was a transcript of this id before."""

    file: str
    video_id: str
    title: str
    format: str
    words: int
    exact_share: float
    repairs: Mapping[str, int]
    replaced: bool


@dataclass(frozen=True, slots=True)
class NotImported:
    file: str
    reason: str


def import_files(
    transcripts: Transcripts, slug: str, paths: Sequence[Path], told: Told, *, at: str
) -> Iterator[Imported | NotImported]:
    """One result a file, in order; a file that is refused never stops the others. `at` is the ISO time of import."""
    before = set(transcripts.ids(slug))
    taken: dict[str, str] = {}
    for path in paths:
        try:
            parsed, transcript = transcript_of(path.name, _content(path), told, at=at)
            transcript = _apart(transcripts, slug, transcript, path.name)
            video_id = transcript.video.id
            if video_id in taken:
                raise TranscriptError(
                    f"it has the id {video_id}, as {taken[video_id]} has.",
                    hint="Import it alone, with --video-id.",
                )
            transcripts.write(slug, transcript)
        except QandaiError as exc:
            yield NotImported(str(path), str(exc))
            continue
        taken[video_id] = path.name
        yield Imported(
            file=str(path),
            video_id=video_id,
            title=transcript.video.title,
            format=parsed.format,
            words=len(transcript.words),
            exact_share=transcript.exact_share,
            repairs=transcript.repairs,
            replaced=video_id in before,
        )


def transcript_of(name: str, content: bytes, told: Told, *, at: str) -> tuple[Parsed, Transcript]:
    """`name` is the file's, without its folder. Raises TranscriptError, NoSpeech."""
    parsed = parse(content)
    provenance = Provenance("imported", origin=name[:_LONGEST_TITLE], fetched_at=at)
    transcript = Transcript(
        _video(name, parsed, told), parsed.words, provenance, parsed.segments, parsed.gaps, parsed.repairs
    )
    return parsed, transcript


def _apart(transcripts: Transcripts, slug: str, transcript: Transcript, name: str) -> Transcript:
    """talk.srt and talk.vtt are two recordings if only their names tell: the second gets `talk-vtt`."""
    video = transcript.video
    stem, _, ending = name.rpartition(".")
    if video.id != id_from_name(_ENDINGS.sub("", name)) or not stem or video.id not in transcripts.ids(slug):
        return transcript
    try:
        there = transcripts.read(slug, video.id)
    except TranscriptError:  # broken: this file takes its place
        return transcript
    if there.provenance.origin == transcript.provenance.origin:
        return transcript
    return replace(transcript, video=replace(video, id=id_from_name(f"{video.id}-{ending.lower()}")))


def _video(name: str, parsed: Parsed, told: Told) -> Video:
    """What the caller says counts before what the file says, and that before its name."""
    stem = _ENDINGS.sub("", name)
    youtube = youtube_id(told.url) if told.url else youtube_id(parsed.url or "")
    url = f"https://www.youtube.com/watch?v={youtube}" if youtube else told.url
    video_id = told.video_id or (youtube if told.url else None) or parsed.video_id or youtube or id_in_name(stem)
    language = _LANGUAGE_IN_NAME.search(name)
    title = stem[: -len(language[1]) - 1] if language and stem.endswith(f".{language[1]}") else stem
    return Video(
        id=video_id or id_from_name(stem),
        title=(told.title or parsed.title or " ".join(title.replace("_", " ").split()) or name)[:_LONGEST_TITLE],
        source="youtube" if youtube else _audio(url),
        url=url,
        published=told.published or parsed.published,
        duration=parsed.duration,
        language=parsed.language or (language[1] if language else None),
    )


def _audio(url: str | None) -> SourceKind | None:
    """None where nothing plays."""
    return "audio" if url and urlsplit(url).path.lower().endswith(_AUDIO) else None


def id_in_name(stem: str) -> str | None:
    """A YouTube id as download tools write it into file names: [dQw4w9WgXcQ], or a part of mixed case."""
    bracketed = _BRACKETED_ID.search(stem)
    if bracketed:
        return bracketed[1]
    for found in _ID_IN_NAME.findall(stem):
        if any(char.isupper() for char in found) and any(char.islower() for char in found):
            return str(found)
    return None


def id_from_name(stem: str) -> str:
    """The name in the letters of an id; a hash tells names apart that lose letters by that."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-")
    lost = any(char.isalnum() and not char.isascii() for char in stem)
    if plain and not lost and len(plain) <= 64:
        return plain
    mark = hashlib.sha256(stem.encode("utf-8", "surrogateescape")).hexdigest()[:10]
    return f"{plain[:53]}-{mark}".lstrip("-")


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    if parts.scheme in ("http", "https"):
        return bool(parts.hostname) and not re.search(r"\s", url)
    return not parts.scheme and not url.startswith(("/", "~")) and "\\" not in url and ".." not in url.split("/")


def _content(path: Path) -> bytes:
    """At most a byte more than is allowed: the parser refuses the rest by its size."""
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as exc:
        raise TranscriptError(f"it cannot be opened: {exc.strerror}.") from exc
