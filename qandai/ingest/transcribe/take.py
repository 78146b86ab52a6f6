"""What was heard of one piece, as words of the recording, repaired."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from qandai.errors import TranscriptError
from qandai.hearing import Heard, Sound
from qandai.ingest.captions.draft import Draft, Segment
from qandai.ingest.captions.repair import repaired
from qandai.ingest.captions.segments import read_segments
from qandai.ingest.transcribe import wording
from qandai.ingest.transcribe.plan import Piece
from qandai.model import Gap, Word

COARSE = "coarse times"
"""Repair that counts words of pieces whose service timed segments only."""

_SILENCE = 3.0  # seconds; a shorter one may be a pause between words that overlaps them by a frame
_MARGIN = 0.5
_ONSET = 0.05  # seconds; soft consonants lie below the level at which sound begins
_FASTEST = 7.0  # words a second; a character of a script without spaces counts half
_FEWEST = 5  # words, below which a rate says nothing


@dataclass(frozen=True, slots=True)
class Take:
    """`words` have the recording's seconds; `segments` are positions of each segment's first word."""

    piece: Piece
    words: tuple[Word, ...] = ()
    segments: tuple[int, ...] = ()
    gaps: tuple[Gap, ...] = ()
    repairs: Mapping[str, int] = field(default_factory=dict)


def read(heard: Heard, piece: Piece, sound: Sound) -> Take:
    """Never fails: where nothing can be used, the take is empty and its gaps and repairs say why."""
    try:
        segments, repairs = read_segments(wording.segments_of(heard))
        if not heard.words:
            repairs[COARSE] += sum(len(segment.words) for segment in segments)
        silences = [(start - piece.start, end - piece.start) for start, end in sound.silences]
        segments, dropped = _possible([_doubted(segment, silences) for segment in segments])
        repairs += dropped
        draft = Draft(segments, captions="whisper", repairs=dict(repairs))
        result = repaired(draft, media_duration=piece.duration, is_piece=True)
    except TranscriptError:  # more words out of order than in it
        return Take(piece, repairs={"unusable pieces": 1})
    return Take(
        piece,
        tuple(_moved(word, piece.start) for word in _audible(result.words, silences)),
        result.segments,
        tuple(replace(gap, start=gap.start + piece.start, end=gap.end + piece.start) for gap in result.gaps),
        result.repairs,
    )


def _audible(words: Sequence[Word], silences: Sequence[tuple[float, float]]) -> list[Word]:
    """Words that begin where something is heard: recognisers place the first one after a pause up to half a second
    early, and stretch the last one before it."""
    starts = [start for start, _ in silences]
    found: list[Word] = []
    for word in words:
        start, end = word.start, word.end
        number = bisect_right(starts, start) - 1
        if number >= 0 and start < silences[number][1] - _ONSET < end - _ONSET:
            start = silences[number][1] - _ONSET
        number = bisect_right(starts, end) - 1
        if number >= 0 and start < silences[number][0] + _ONSET < end <= silences[number][1]:
            end = silences[number][0] + _ONSET
        found.append(replace(word, start=start, end=end) if (start, end) != (word.start, word.end) else word)
    return found


def _moved(word: Word, by: float) -> Word:
    return replace(word, start=round(word.start + by, 3), end=round(word.end + by, 3))


def _doubted(segment: Segment, silences: Sequence[tuple[float, float]]) -> Segment:
    """A segment within a long silence: nobody was heard, and where the recogniser was unsure too, it was invented."""
    if not segment.words:
        return segment
    start, end = segment.words[0].start, segment.words[-1].end
    for left, right in silences:
        if (
            right - left >= _SILENCE
            and left - _MARGIN <= start
            and end <= right + _MARGIN
            and left < end
            and start < right
        ):
            return replace(segment, unheard=True, invented=segment.invented or segment.unheard)
    return segment


def _possible(segments: Sequence[Segment]) -> tuple[list[Segment], Counter[str]]:
    """Without the segments that nobody could speak that fast. Only measured times are a rate."""
    kept: list[Segment] = []
    dropped: Counter[str] = Counter()
    for segment in segments:
        if _rate(segment.words) > _FASTEST:
            dropped["impossible speech rate"] += len(segment.words)
        else:
            kept.append(segment)
    return kept, dropped


def _rate(words: Sequence[Word]) -> float:
    if len(words) < _FEWEST or 2 * sum(word.exact for word in words) < len(words):
        return 0.0
    spoken = sum(0.5 if word.glued else 1.0 for word in words)
    return spoken / max(0.001, words[-1].end - words[0].start)
