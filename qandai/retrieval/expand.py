"""What is searched for when a question is asked."""

from __future__ import annotations

from collections.abc import Mapping

from qandai.model import Person, Query, Question
from qandai.text import tokens

_LONGEST_HEARD = 6  # words; longer mishearings are sentences, not spellings


def expand(question: Question, person: Person) -> Query:
    """The question itself, as the archive spells it."""
    return Query(put_right(question.text, person.mishearings))


def put_right(text: str, mishearings: Mapping[str, str]) -> str:
    """The text with each heard spelling as it is meant; the longest that fits, whatever its case and accents."""
    meant = {tokens(heard): right for heard, right in mishearings.items() if tokens(heard)}
    chunks = text.split()
    kept: list[str] = []
    while chunks:
        for size in range(min(_LONGEST_HEARD, len(chunks)), 0, -1):
            right = meant.get(tokens(" ".join(chunks[:size])))
            if right is not None:
                kept.append(right + _trailing(chunks[size - 1]))
                break
        else:
            size = 1
            kept.append(chunks[0])
        chunks = chunks[size:]
    return " ".join(kept)


def _trailing(chunk: str) -> str:
    """The punctuation that closes a chunk."""
    return chunk[len(chunk.rstrip("?!.,;:…\u037e")) :]
