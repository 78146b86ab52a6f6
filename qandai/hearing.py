"""What speech to text needs of the outside world: somebody who listens, somebody who cuts, and a memory."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class HeardWord:
    """A word as a recogniser lists it, often without punctuation. Seconds from the start of the piece; None where
    it was not timed (numerals)."""

    text: str
    start: float | None
    end: float | None


@dataclass(frozen=True, slots=True)
class HeardSegment:
    """A stretch of speech as a recogniser writes it. The figures are its own doubts; None where it gives none."""

    start: float
    end: float
    text: str
    average_log_probability: float | None = None
    no_speech_probability: float | None = None
    compression_ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """What a recogniser makes of one piece. `words` run through all segments, in order; empty: nothing was timed
    but the segments. `language` is a code or an English name."""

    segments: tuple[HeardSegment, ...]
    words: tuple[HeardWord, ...] = ()
    language: str | None = None


@dataclass(frozen=True, slots=True)
class TranscriberLimits:
    """What a transcriber takes at once: bytes a piece (None: any), pieces side by side. `price_an_hour` in US
    dollars: 0 is free, None unknown; no piece is billed below `least_billed` seconds."""

    max_bytes: int | None = None
    parallel: int = 1
    price_an_hour: float | None = 0.0
    least_billed: float = 0.0


class Transcriber(Protocol):
    """Speech to text with word times. Threads share it."""

    @property
    def model(self) -> str:
        """Names whatever decides the result: where it runs, weights, decoding. Part of every cache key."""

    @property
    def limits(self) -> TranscriberLimits: ...

    def transcribe(self, piece: Path, *, language: str | None, prompt: str) -> Heard:
        """The words of one short file. `language` is a base tag ("en"), None to find out; `prompt` may be empty.

        Raises Throttled, AccessRefused, Refused, TooLarge, else a ProviderError that may pass. Never waits to ask anew.
        """


@dataclass(frozen=True, slots=True)
class Sound:
    """A recording's length and its silences (start, end), ascending and apart, in seconds."""

    duration: float
    silences: tuple[tuple[float, float], ...] = ()


AudioFormat = Literal["flac", "opus"]
"""How a piece is written, mono at 16 kHz: flac (at most 32 kB a second) or, where that is too much, opus (5 kB)."""


class Audio(Protocol):
    """Listens to recordings and cuts pieces out of them, in constant memory however long they are."""

    def digest(self, recording: Path) -> str:
        """SHA-256 of the file's content, in hexadecimal."""

    def listen(self, recording: Path) -> Sound:
        """Raises TranscriptError for a file without audio, ToolMissing where the decoder is not installed."""

    def quietest(self, recording: Path, start: float, end: float) -> float:
        """The quietest moment between two seconds not far apart."""

    def cut(self, recording: Path, start: float, end: float, form: AudioFormat) -> AbstractContextManager[Path]:
        """A file with the stretch, there for the length of a `with` block. Its first sample is the one at `start`.

        Raises TranscriptError where nothing can be decoded, DiskFull.
        """


class HeardCache(Protocol):
    """Remembers what was heard, so that nothing is listened to or paid for twice. Threads share it.

    A key is a recording's hash and a name that says all that decides the result.
    """

    def heard(self, recording: str, key: str) -> Heard | None: ...

    def keep(self, recording: str, key: str, heard: Heard) -> None: ...

    def sound(self, recording: str) -> Sound | None: ...

    def keep_sound(self, recording: str, sound: Sound) -> None: ...

    def name(self, recording: str, video_id: str) -> None:
        """Notes whose words these are, so that they can be forgotten with the video."""

    def forget(self, video_id: str) -> bool:
        """Whether anything was kept of the recording of that name."""
