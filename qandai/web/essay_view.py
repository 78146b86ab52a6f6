"""An answer from the whole archive as the page draws it, piece by piece while it is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from qandai import links
from qandai.answer import Answer, Done, Essay, Event, Statement, Wrote
from qandai.clips import clip
from qandai.model import Clip, Excerpt, Quote
from qandai.web.errors import told
from qandai.web.essays import pieces, scale_words
from qandai.web.excuses import Excuse, excuse
from qandai.web.phrases import plain_date

MORE = "<!-- more -->"
"""Stands in the page where what comes next is still being written: so far it is sent."""


@dataclass(frozen=True, slots=True)
class CiteView:
    """A link to the second at which an excerpt begins to speak of it."""

    number: int
    href: str
    label: str


@dataclass(frozen=True, slots=True)
class QuoteView:
    """Words of a recording, checked."""

    text: str
    cite: CiteView
    title: str
    date: str
    timestamp: str


@dataclass(frozen=True, slots=True)
class Pause:
    kind: Literal["pause"] = "pause"


@dataclass(frozen=True, slots=True)
class LineView:
    """`opens`: a paragraph begins; `closes`: one ends before it."""

    parts: tuple[str | CiteView, ...]
    opens: bool
    closes: bool
    kind: Literal["line"] = "line"


@dataclass(frozen=True, slots=True)
class EndView:
    """`closes`: a paragraph ends before it. `highlights` where no model wrote. `broken`: what a visitor is told where
    the text could not be finished."""

    closes: bool
    highlights: tuple[QuoteView, ...] = ()
    key_quote: QuoteView | None = None
    themes: tuple[str, ...] = ()
    scale: str = ""
    excuse: Excuse | None = None
    broken: str = ""
    kind: Literal["end"] = "end"


EssayPart = Pause | LineView | EndView


@dataclass(frozen=True, slots=True)
class Writing:
    """A text that is still to come: the answer as it was heard, and what was found, as the text will cite it."""

    heard: Answer
    found: tuple[Excerpt, ...]


def essay_parts(
    slug: str, question: str, writing: Writing, events: Iterable[Event | None], *, lead: float
) -> Iterator[EssayPart]:
    """What follows the clip. Begins with a pause and ends with an end, whatever happens."""
    whole = writing.heard
    written = 0
    cites = {
        excerpt.number: _cite(slug, question, excerpt.number, _passage(excerpt, lead)) for excerpt in writing.found
    }
    cites |= _cites(slug, question, writing.heard)
    yield Pause()
    try:
        for event in events:
            if isinstance(event, Wrote):
                yield _line(event.statement, cites, first=not written)
                written += 1
            if isinstance(event, Done) and isinstance(event.result, Answer):
                whole = event.result
            elif event is None or isinstance(event, Wrote):
                yield Pause()
    except Exception as error:  # noqa: BLE001  # the page is half sent: it says so in its own place
        _, detail = told(error)
        yield EndView(closes=bool(written), broken=f"The rest could not be written: {detail.message}")
        return
    yield _end(slug, question, whole, closes=bool(written))


def _line(statement: Statement, cites: Mapping[int, CiteView], *, first: bool) -> LineView:
    parts = [cites[piece] if isinstance(piece, int) else piece for piece in pieces(statement) if _known(piece, cites)]
    return LineView(tuple(parts), opens=first or statement.paragraph, closes=statement.paragraph and not first)


def _known(piece: str | int, cites: Mapping[int, CiteView]) -> bool:
    return isinstance(piece, str) or piece in cites


def _cites(slug: str, question: str, answer: Answer) -> dict[int, CiteView]:
    if answer.essay is None:
        return {}
    spoken = zip(answer.essay.cited, answer.essay.spoken, strict=True)
    return {excerpt.number: _cite(slug, question, excerpt.number, moment) for excerpt, moment in spoken}


def _cite(slug: str, question: str, number: int, moment: Clip) -> CiteView:
    href = links.moment_path(slug, moment.video.id, moment.start, moment.end, question)
    return CiteView(number, href, f"{moment.video.title}, {links.timestamp(moment.start)}")


def _passage(excerpt: Excerpt, lead: float) -> Clip:
    """What a number stands for until its moment is known."""
    return clip(Quote(excerpt.passage), lead=lead)


def _end(slug: str, question: str, answer: Answer, *, closes: bool) -> EndView:
    essay, said = answer.essay, excuse(answer.making)
    if essay is None:
        return EndView(closes, excuse=said)
    cites = _cites(slug, question, answer)
    summary = essay.summary
    key = summary.key_quote if summary else None
    return EndView(
        closes,
        highlights=() if essay.statements else _highlights(essay, cites, beside=answer.clip),
        key_quote=_quote(key, _cite(slug, question, 0, key)) if key else None,
        themes=summary.themes if summary else (),
        scale=scale_words(summary.scale) if summary else "",
        excuse=said,
    )


def _highlights(essay: Essay, cites: Mapping[int, CiteView], *, beside: Clip) -> tuple[QuoteView, ...]:
    """Without what the clip above them says already."""
    spoken = zip(essay.cited, essay.spoken, strict=True)
    return tuple(_quote(moment, cites[excerpt.number]) for excerpt, moment in spoken if not _repeats(moment, beside))


def _repeats(moment: Clip, shown: Clip) -> bool:
    """Whether more than half of its words are shown already."""
    one, other = moment.quote.span, shown.quote.span
    shared = min(one.last, other.last) - max(one.first, other.first) + 1
    return moment.video.id == shown.video.id and 2 * shared > one.last - one.first + 1


def _quote(moment: Clip, cite: CiteView) -> QuoteView:
    video = moment.video
    return QuoteView(moment.quote.text, cite, video.title, plain_date(video.published), links.timestamp(moment.start))
