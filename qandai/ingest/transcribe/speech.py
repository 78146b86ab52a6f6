"""A recording in words, and what is missing of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from qandai.errors import ProviderError, Refused, Throttled, TranscriptError
from qandai.ingest.transcribe.coverage import Loudness, coverage
from qandai.ingest.transcribe.plan import Piece
from qandai.ingest.transcribe.take import Take
from qandai.model import Gap, Provenance, Transcript, Video, Word


@dataclass(frozen=True, slots=True)
class Failure:
    """A piece that could not be transcribed. `passing`: another run may succeed, `wait` seconds from now if known."""

    start: float
    end: float
    reason: str
    passing: bool
    wait: float | None = None


@dataclass(frozen=True, slots=True)
class Speech:
    """A recording in words. `gaps` are stretches without usable words, `repairs` counts words (pieces, where it says
    so) by reason. With `failures` it is not complete; asking again costs only what failed."""

    duration: float
    words: tuple[Word, ...]
    segments: tuple[int, ...]
    gaps: tuple[Gap, ...]
    repairs: Mapping[str, int]
    model: str
    failures: tuple[Failure, ...] = ()

    def transcript(self, video: Video, *, fetched_at: str | None = None, origin: str | None = None) -> Transcript:
        provenance = Provenance("whisper", self.model, origin, fetched_at)
        return Transcript(video, self.words, provenance, self.segments, self.gaps, self.repairs)


def untranscribed(
    takes: Sequence[Take], words: Sequence[Word], dropped: Sequence[Gap], loudness: Loudness
) -> Iterator[Gap]:
    """Where something sounds and no word was heard, piece by piece; what was dropped there is named already."""
    for take in takes:
        start, end = take.piece.since, take.piece.until
        its = [word for word in words if start <= word.start < end]
        for left, right in coverage(its, start, end, loudness).untranscribed():
            named = sum(max(0.0, min(right, gap.end) - max(left, gap.start)) for gap in dropped)
            if named * 2 < right - left:
                yield Gap(left, right, "untranscribed")


def error_of(failure: Failure) -> ProviderError:
    """Where nothing was transcribed, what stopped the first piece stopped the recording."""
    if failure.wait is not None:
        return Throttled(failure.reason, wait=failure.wait)
    return ProviderError(failure.reason) if failure.passing else Refused(failure.reason)


def failure_of(piece: Piece, error: ProviderError | TranscriptError) -> Failure:
    passing = isinstance(error, ProviderError) and not isinstance(error, Refused)
    return Failure(piece.since, piece.until, str(error), passing, error.wait if isinstance(error, Throttled) else None)
