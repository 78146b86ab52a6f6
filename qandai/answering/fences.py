"""Excerpts as models read them: numbered, each in a fence, with as much around the ranked passage as fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qandai.framing import DATA_RULE, asked, fenced, plain
from qandai.links import timestamp
from qandai.model import Excerpt, Span

__all__ = ["DATA_RULE", "asked", "listing", "numbered", "shown", "units"]

_TITLE_CHARS = 120
_SPEAKER_CHARS = 40


def listing(excerpts: Sequence[Excerpt], *, chars: int = 1200, stamp: bool = True) -> str:
    """`[n] title | time` and the text, a line for each speaker's turn. Each excerpt has at most `chars` characters of
    text: whole sentences, unless its first alone is longer. Without `stamp` only `[n]` stands above it."""
    return "\n\n".join(
        fenced("excerpt", _heading(excerpt, stamp), *_paragraphs(shown(excerpt, chars=chars), chars))
        for excerpt in excerpts
    )


def numbered(excerpts: Sequence[Excerpt], *, chars: int = 1200, stamp: bool = True) -> str:
    """The same, each sentence on a line behind its number in `units(excerpt)` and the name of who begins to speak."""
    return "\n\n".join(
        fenced("excerpt", _heading(excerpt, stamp), *_numbered_lines(excerpt, chars)) for excerpt in excerpts
    )


def units(excerpt: Excerpt) -> tuple[Span, ...]:
    """What sentence numbers mean: number 1 is the first. An excerpt that nobody cut is one sentence."""
    return tuple(sentence.span for sentence in excerpt.sentences) or (excerpt.row.whole(),)


def shown(excerpt: Excerpt, *, chars: int) -> tuple[Span, ...]:
    """The sentences that fit: the ranked passage's, then what follows and what goes before in turns, unbroken."""
    spans = units(excerpt)
    first, last = _window(spans, excerpt.passage, chars)
    return spans[first : last + 1]


def _window(spans: Sequence[Span], passage: Span, chars: int) -> tuple[int, int]:
    """Places of the first and last sentence, inclusive."""
    lengths = [len(span.text) + 1 for span in spans]
    first = next((place for place, span in enumerate(spans) if span.last >= passage.first), 0)
    last, total = first, lengths[first]
    while last + 1 < len(spans) and spans[last + 1].first <= passage.last and total + lengths[last + 1] <= chars:
        last += 1
        total += lengths[last]
    ahead = behind = spans[last].last >= passage.last or last + 1 == len(spans)  # else the passage itself is too long
    while ahead or behind:
        ahead = ahead and last + 1 < len(spans) and total + lengths[last + 1] <= chars
        if ahead:
            last += 1
            total += lengths[last]
        behind = behind and first > 0 and total + lengths[first - 1] <= chars
        if behind:
            first -= 1
            total += lengths[first]
    return first, last


def _heading(excerpt: Excerpt, stamp: bool) -> str:
    if not stamp:
        return f"[{excerpt.number}]"
    return f"[{excerpt.number}] {plain(excerpt.row.video.title, _TITLE_CHARS)} | {timestamp(excerpt.passage.start)}"


def _paragraphs(spans: Sequence[Span], chars: int) -> Iterator[str]:
    first = spans[0]
    for before, span in zip(spans, [*spans[1:], None], strict=True):
        if span is None or _speaks_anew(before, span):
            yield plain(first.row.span(first.first, before.last).text, chars)
            first = span or first


def _numbered_lines(excerpt: Excerpt, chars: int) -> Iterator[str]:
    spans = units(excerpt)
    first, last = _window(spans, excerpt.passage, chars)
    for place in range(first, last + 1):
        span = spans[place]
        speaker = plain(span.words[0].speaker or "", _SPEAKER_CHARS)
        begins = speaker and (place == first or _speaks_anew(spans[place - 1], span))
        yield f"({place + 1}) {speaker + ': ' if begins else ''}{plain(span.text, chars)}"


def _speaks_anew(before: Span, span: Span) -> bool:
    word = span.words[0]
    return word.turn or word.speaker != before.words[-1].speaker
