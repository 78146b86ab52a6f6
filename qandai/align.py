"""Quote → span: where the words that a model or an editor typed were really said, or that they were not.

The quote's first and last twelve words are looked for at every place of an excerpt; among near-ties a window of 48
words decides, then the excerpt that was named, then the earlier place. The ends are then set word by word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from qandai.alignment.claims import Claim
from qandai.alignment.haystack import Haystack
from qandai.alignment.places import FLOOR, Place, alike, locate
from qandai.model import Match, Row, Span

Found = Literal["named", "neighbours", "other", "whole"]
Searchable = Row | Haystack
Whole = Callable[[], Searchable | None] | Searchable | None

_SOLID = 90.0  # nobody else is asked
_NEAR = 8.0  # points between two places that are one word apart
_NEXT_EXACT_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Alignment:
    """A quote that was said. `score` is 0 to 100; `match` is exact when every word was typed as it was said;
    `found` names the step that found it."""

    span: Span
    score: float
    match: Match
    found: Found


def align(
    quote: str,
    excerpts: Sequence[Searchable],
    *,
    named: int = 0,
    whole: Whole = None,
    sentence: Span | None = None,
) -> Alignment | None:
    """The words that were quoted, or None when they were not said or could be anywhere.

    `excerpts[named]` is asked first, then its neighbours, the other excerpts and the `whole` recording. `sentence`
    is the named excerpt's first answer sentence: where a quote of under five words starts that was said more than
    once. Hand in a `Haystack` where the same words are searched often.
    """
    claim = Claim.read(quote)
    if not claim.whole.said:
        return None
    hays = [excerpt if isinstance(excerpt, Haystack) else Haystack(excerpt) for excerpt in excerpts]
    if claim.whole.is_short:
        return _align_short(claim, hays, named, whole, sentence)
    best: Alignment | None = None
    unsure = True  # whether the words may go on beyond the excerpt
    for found, hay in _steps(hays, named):
        place = locate(claim, hay)
        if place is not None and (best is None or place.score > best.score + (0 if unsure else _NEAR)):
            best, unsure = _alignment(place, hay, found), place.cut
        if best is not None and best.score >= _SOLID and not unsure:
            return best
    if unsure and (everything := _fetched(whole)) is not None:
        place = locate(claim, everything)
        if place is not None and (best is None or place.score > best.score):
            best = _alignment(place, everything, "whole")
    return best


def _align_short(
    claim: Claim, hays: Sequence[Haystack], named: int, whole: Whole, sentence: Span | None
) -> Alignment | None:
    """A word or two are said in many places: they count where they are alone."""
    places: list[Alignment] = []
    for found, hay in _steps(hays, named):
        places += [_alignment(place, hay, found) for place in alike(claim.whole, hay)]
        if places and found == "named":
            break
    if not places and (everything := _fetched(whole)) is not None:
        places = [_alignment(place, everything, "whole") for place in alike(claim.whole, everything)]
    if len({place.span.id for place in places}) == 1:
        return places[0]
    if places and sentence is not None:
        return Alignment(sentence, FLOOR, "repaired", "named")
    return None


def _alignment(place: Place, hay: Haystack, found: Found) -> Alignment:
    match: Match = "exact" if place.exact else "repaired"
    return Alignment(hay.span(place.first, place.last), round(place.score, 1), match, found)


def _steps(hays: Sequence[Haystack], named: int) -> Iterator[tuple[Found, Haystack]]:
    """The excerpts, in the order in which they are asked."""
    if 0 <= named < len(hays):
        yield "named", hays[named]
        stitched = _stitched(hays, named)
        if stitched is not None:
            yield "neighbours", stitched
    for number, hay in enumerate(hays):
        if number != named:
            yield "other", hay


def _fetched(whole: Whole) -> Haystack | None:
    """The whole recording. Fetched only here, because reading it may cost more than all excerpts together."""
    everything = whole() if callable(whole) else whole
    return Haystack(everything) if isinstance(everything, Row) else everything


def _stitched(hays: Sequence[Haystack], named: int) -> Haystack | None:
    """The named excerpt with the excerpts that touch it, as one row; None where none does."""
    row = hays[named].row
    for other in sorted((hay.row for hay in hays if hay.row.video.id == row.video.id), key=lambda row: row.offset):
        if row.offset <= other.offset <= row.last + 1 and other.last > row.last:
            row = Row(row.video, row.words + other.words[row.last + 1 - other.offset :], row.offset)
        elif other.offset < row.offset <= other.last + 1:
            row = Row(row.video, other.words + row.words[other.last + 1 - row.offset :], other.offset)
    return None if row is hays[named].row else Haystack(row)


def start_of(span: Span) -> tuple[float, bool]:
    """When the span's first word is said, in seconds, and whether that was measured.

    A first word whose time was estimated gives way to the next measured word of the span within two seconds.
    """
    first = span.words[0]
    for word in span.words:
        if word.start > first.start + _NEXT_EXACT_SECONDS:
            break
        if word.exact:
            return word.start, True
    return first.start, False
