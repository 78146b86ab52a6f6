"""From what a selector claims to what was said: claims that nobody said are dropped."""

from __future__ import annotations

from collections.abc import Sequence

from qandai.align import align
from qandai.answering.turns import Speech, past_question
from qandai.model import Excerpt, Pick, Quote, Row, Span
from qandai.passages import stitch
from qandai.ports import Shelf


def confirmed(claim: Pick | Span, excerpts: Sequence[Excerpt], others: Sequence[Span], shelf: Shelf) -> Quote | None:
    """A span was said; what a model typed is looked for in the excerpt it named, in the others, in the recording."""
    if isinstance(claim, Span):
        return Quote(claim)
    if not excerpts:
        return None
    rows = [excerpt.row for excerpt in excerpts]
    named = claim.excerpt - 1 if 1 <= claim.excerpt <= len(rows) else 0
    found = align(
        claim.text,
        rows,
        named=named,
        whole=lambda: _recording(shelf, rows[named].video.id),
        sentence=_answer_sentence(excerpts[named], others),
    )
    return None if found is None else Quote(found.span, found.match)


def answering(quote: Quote, excerpts: Sequence[Excerpt], speech: Speech) -> Quote:
    """What a model chose, without the question that an interviewer asked before it."""
    said = quote.span
    for excerpt in excerpts:
        row = excerpt.row
        if row.video.id == said.video.id and row.offset <= said.first and said.last <= row.last:
            return Quote(past_question(said, excerpt.sentences, speech), quote.match)
    return quote


def _answer_sentence(excerpt: Excerpt, others: Sequence[Span]) -> Span | None:
    """The first sentence of the answer that an excerpt holds."""
    moment = next((span for span in others if span.row is excerpt.row), None)
    if moment is None:
        return None
    spans = (sentence.span for sentence in excerpt.sentences)
    return next((span for span in spans if span.first <= moment.first <= span.last), None)


def _recording(shelf: Shelf, video_id: str) -> Row | None:
    """All of a video in one row; None where an editor has taken a part of it out."""
    indices = [index for index, place in enumerate(shelf.places) if place.video_id == video_id]
    try:
        return stitch(shelf.read(indices))[0] if indices else None
    except ValueError:
        return None
