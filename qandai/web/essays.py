"""An answer from the whole archive, in the words of the HTTP interface."""

from __future__ import annotations

import re
from collections.abc import Iterator

from qandai.answer import Essay, Statement, Summary
from qandai.web import schemas

_MARK = re.compile(r"\s*\[(\d{1,3})\]")


def pieces(statement: Statement) -> Iterator[str | int]:
    """The sentence cut at its citations: text, and numbers of excerpts. One without marks of its own has them at the
    end; a mark that cites nothing is left out."""
    marked: set[int] = set()
    place = 0
    for match in _MARK.finditer(statement.text):
        if match.start() > place:
            yield statement.text[place : match.start()]
        place = match.end()
        number = int(match[1])
        if number in statement.cites:
            marked.add(number)
            yield number
    if place < len(statement.text):
        yield statement.text[place:]
    yield from (number for number in statement.cites if number not in marked)


def sentence(statement: Statement) -> str:
    """With its sources as [n]."""
    text = ""
    before: str | int = ""
    for piece in pieces(statement):
        if isinstance(piece, int):
            text += f"[{piece}]" if isinstance(before, int) or not text else f" [{piece}]"
        else:
            text += piece
        before = piece
    return text


def text_of(essay: Essay) -> str:
    """Paragraphs with an empty line between them; without a model the highlights, a quote a line."""
    if not essay.statements:
        cited = zip(essay.cited, essay.spoken, strict=True)
        return "\n".join(f"“{clip.quote.text}” [{excerpt.number}]" for excerpt, clip in cited)
    text = ""
    for statement in essay.statements:
        text += ("\n\n" if statement.paragraph else " ") if text else ""
        text += sentence(statement)
    return text


def meta_of(summary: Summary) -> schemas.Meta:
    return schemas.Meta(
        scale=scale_words(summary.scale),
        themes=list(summary.themes),
        key_quote=summary.key_quote.quote.text if summary.key_quote else None,
    )


def scale_words(scale: tuple[int, int]) -> str:
    """(3, 10) → 3 of 10 recordings"""
    these, every = scale
    return f"{these:,} of {every:,} recording{'' if every == 1 else 's'}"
