"""A whole recording, and any moment of it, read from the store: serving never opens a transcript file."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from qandai.errors import UnknownVideo
from qandai.model import Clip, Quote, Row, Span, Video, Word
from qandai.ports import Shelf


@dataclass(frozen=True, slots=True)
class Recording:
    """`paragraphs` are in the order spoken and share no word; they are spans of `rows`, stretches without a gap."""

    video: Video
    rows: tuple[Row, ...]
    paragraphs: tuple[Span, ...]

    @property
    def words(self) -> tuple[Word, ...]:
        return tuple(word for row in self.rows for word in row.words)

    @property
    def end(self) -> float:
        """Seconds; the known duration, or the end of the last word."""
        last = max((paragraph.end for paragraph in self.paragraphs), default=0.0)
        return max(last, self.video.duration or 0.0)


def recording(shelf: Shelf, video_id: str) -> Recording:
    """Raises UnknownVideo, StoreBroken."""
    video = shelf.videos.get(video_id)
    if video is None:
        raise UnknownVideo(f"There is no recording {video_id!r} here.", hint="The person's page lists them.")
    first = bisect_left(shelf.places, video_id, key=lambda place: place.video_id)
    stop = bisect_right(shelf.places, video_id, key=lambda place: place.video_id)
    passages = [leaf.passage for leaf in shelf.read(range(first, stop))]
    rows = _rows(video, passages)
    paragraphs: list[Span] = []
    row_of = iter(rows)
    row = next(row_of, None)
    for passage in passages:
        start = max(passage.first, paragraphs[-1].last + 1) if paragraphs else passage.first
        if start > passage.last:
            continue
        while row is not None and row.last < start:
            row = next(row_of, None)
        assert row is not None
        paragraphs.append(row.span(start, passage.last))
    return Recording(video, tuple(rows), tuple(paragraphs))


def _rows(video: Video, passages: Sequence[Span]) -> list[Row]:
    """The passages joined where one continues the other; they may overlap, and ranges may be missing."""
    rows: list[Row] = []
    for passage in passages:
        row = rows[-1] if rows else None
        if row is None or passage.first > row.last + 1:
            rows.append(Row(video, passage.words, passage.first))
        elif passage.last > row.last:
            fresh = passage.words[row.last + 1 - passage.first :]
            rows[-1] = replace(row, words=row.words + fresh)
    return rows


def heard(words: Sequence[Word], start: float, end: float, *, lead: float) -> range:
    """Positions in `words` of what is heard between two seconds of a link, whose start has the lead taken off.

    A word belongs to the moment in which its middle lies, so neither rounding nor the lead, which may reach into
    the word before, adds or loses one.
    """
    since = start + lead if start > 0 else 0.0
    places = [place for place, word in enumerate(words) if since <= _middle(word) <= end]
    return range(places[0], places[-1] + 1) if places else range(0)


def clip_at(shelf: Shelf, video_id: str, start: float, end: float, *, lead: float) -> Clip | None:
    """The clip that a link holds, seconds; None where no word is heard. Raises UnknownVideo, StoreBroken."""
    best: Span | None = None
    for row in recording(shelf, video_id).rows:
        places = heard(row.words, start, end, lead=lead)
        if places and (best is None or len(places) > best.last - best.first + 1):
            best = row.span(row.offset + places[0], row.offset + places[-1])
    if best is None:
        return None
    return Clip(Quote(best), start=start, end=max(end, start), exact=best.words[0].exact)


def _middle(word: Word) -> float:
    """Rounded as the times in links are, so that a word of no length at a border stays inside."""
    return round((word.start + word.end) / 2, 2)
