"""What ingest needs of the places where recordings are found, and of the memory of what became of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

from qandai.model import Video

Airing = Literal["live", "upcoming", "just_ended"]
State = Literal["found", "skipped", "pending", "transcribed", "indexed", "dead"]
Place = Literal["youtube", "feed", "audio"]


@dataclass(frozen=True, slots=True)
class Listed:
    """A video as a listing shows it; None where the listing does not tell.

    `duration` is in seconds, `published` an ISO date. `withdrawn` says why nobody can watch it.
    """

    id: str
    title: str
    duration: float | None = None
    published: str | None = None
    airing: Airing | None = None
    withdrawn: str | None = None
    short: bool = False


@dataclass(frozen=True, slots=True)
class Track:
    """A caption track on offer. `language` is the text's, BCP 47; `key` is the service's own name for the track.

    `original`: made by machine from the speech itself. Neither by hand nor original: a translation, a live chat, or
    something whose making nobody tells.
    """

    key: str
    language: str
    url: str
    by_hand: bool = False
    original: bool = False
    translated: bool = False


@dataclass(frozen=True, slots=True)
class Details:
    """A full look at one video. None: the service does not tell.

    `embeddable`: whether it plays on other sites. `availability`: public, unlisted, private, subscriber_only,
    premium_only, needs_auth. `withheld`: there are captions that the service would not name now. `spoken`: the
    language of the default audio, BCP 47. `starts`: when an upcoming one begins.
    """

    video: Video
    tracks: tuple[Track, ...] = ()
    withheld: bool = False
    embeddable: bool | None = None
    age_limit: int = 0
    availability: str | None = None
    airing: Airing | None = None
    short: bool = False
    spoken: str | None = None
    starts: datetime | None = None


@dataclass(frozen=True, slots=True)
class Voice:
    """A stretch in which one voice speaks, seconds. `label` tells voices apart and names nobody."""

    start: float
    end: float
    label: str


class Voices(Protocol):
    """Tells voices apart by their sound. Nothing implements it yet: the models that can want torch.

    An implementation listens to the recording (in constant memory, however long) and answers in order of time; two
    stretches may overlap. Its labels become `Word.speaker` where a word's middle lies in exactly one stretch, and
    `ingest.speakers.attributed` then finds out whose they are, as it does for the labels that captions carry. To add
    one: a file in adapters/, a line in compose_ingest.py, the call in `ingest.outcome.Transcribe`.
    """

    def tell_apart(self, recording: Path, *, most: int | None = None) -> tuple[Voice, ...]:
        """`most` is how many people speak, if that is known. Raises TranscriptError, ToolMissing, ProviderError."""


class VideoSite(Protocol):
    """A site with videos. Every call raises Throttled, Unavailable, AccessRefused, ToolMissing or ProviderError."""

    def listing(self, address: str, *, limit: int | None = None) -> Iterator[Listed]:
        """A channel's tab, a playlist or a search, in the site's order. A tab that does not exist is empty."""

    def look_up(self, video_id: str, *, fresh: bool = False) -> Details:
        """`fresh`: what an earlier call remembered is not enough."""

    def embeds(self, video_id: str) -> bool | None:
        """A second look at whether other sites may play it, for videos that `look_up` leaves open."""

    def captions(self, track: Track) -> bytes:
        """Never empty. Raises Withheld where the service answers with nothing or with a page for people."""

    def audio(self, video_id: str, folder: Path) -> Path:
        """A new file below `folder`."""


@dataclass(frozen=True, slots=True)
class Chapter:
    start: float
    title: str


@dataclass(frozen=True, slots=True)
class Episode:
    """An item of a feed. `guid` never changes; `audio` is the enclosure's address, `size` its bytes.

    `transcripts` are (address, media type, language or None), `chapters_url` a JSON file of chapters.
    """

    guid: str
    title: str
    audio: str
    size: int | None = None
    published: str | None = None
    duration: float | None = None
    transcripts: tuple[tuple[str, str, str | None], ...] = ()
    chapters_url: str | None = None
    chapters: tuple[Chapter, ...] = ()


@dataclass(frozen=True, slots=True)
class Feed:
    title: str
    episodes: tuple[Episode, ...]
    language: str | None = None


class Feeds(Protocol):
    """Podcasts. Every call raises Throttled, Unavailable or ProviderError."""

    def read(self, url: str) -> Feed: ...

    def transcript(self, url: str, *, feed: str) -> bytes:
        """A transcript that the feed at `feed` names."""

    def chapters(self, url: str, *, feed: str) -> tuple[Chapter, ...]: ...

    def audio(self, url: str, folder: Path, *, feed: str) -> Path:
        """A new file below `folder`, whole."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """An audio file below the home. `id` comes from its content, `path` has forward slashes.

    `duration` None: ffmpeg finds no sound in it.
    """

    id: str
    title: str
    path: str
    duration: float | None
    published: str | None = None


class AudioFolders(Protocol):
    def find(self, folder: str) -> Iterator[Recorded]:
        """Files of a folder below the home, by name. Raises UsageError if it is not there, ToolMissing."""

    def open(self, path: str) -> Path:
        """The file on disk."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What became of one recording. `reason` says why it is skipped, pending or dead.

    `next_try`, `checked` (when it was last known to play) and `at` (when the state was entered) are UTC.
    `tries` counts failed attempts in a row. `origin` is the source's address, so that filters can be judged again.
    """

    id: str
    state: State
    place: Place
    title: str = ""
    reason: str = ""
    next_try: datetime | None = None
    tries: int = 0
    duration: float | None = None
    published: str | None = None
    url: str | None = None
    note: str = ""
    checked: datetime | None = None
    at: datetime | None = None


class Ledgers(Protocol):
    """The ledger of each person."""

    def read(self, slug: str) -> Mapping[str, Entry]:
        """By id, in the order in which they were found; empty where there is no ledger."""

    def write(self, slug: str, entries: Mapping[str, Entry]) -> None:
        """Atomic: after a kill at any moment the old ledger is there or the new one."""

    def holding(self, slug: str) -> AbstractContextManager[None]:
        """One ingest a person. Raises StoreLocked, which names the first."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A service asked us to wait `until` then; `strikes` counts how often in a row."""

    until: datetime
    strikes: int


class Waits(Protocol):
    """Remembers across runs which services want us to wait; they know our address, so all persons share it."""

    def get(self, service: str) -> Wait | None: ...

    def put(self, service: str, wait: Wait | None) -> None: ...
