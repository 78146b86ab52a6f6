"""Which words answer, as a model chooses them: in either way a claim, or numbers of what was said."""

from __future__ import annotations

from collections.abc import Sequence

from qandai.answering import numbering, quoting
from qandai.chat import Prompt
from qandai.model import Excerpt, Person, Pick, Span
from qandai.settings import SelectWay


def prompt(
    way: SelectWay,
    question: str,
    person: Person,
    excerpts: Sequence[Excerpt],
    *,
    chars: int = 1000,
    brief: bool = False,
) -> Prompt:
    """`chars`: of each excerpt that are shown. `brief`: for a very small model, which copies and knows no numbers. Its
    specimen picks the first excerpt's ranked passage."""
    if way == "quote":
        return quoting.prompt(question, person, excerpts, chars=chars, brief=brief)
    return numbering.prompt(question, person, excerpts, chars=chars)


def read(way: SelectWay, reply: str, excerpts: Sequence[Excerpt], *, chars: int = 1000) -> Pick | Span | None:
    """What a model chose of `excerpts`, of which its prompt had as much; None where it says that none of them answers.

    `Pick.excerpt` is the excerpt's number, 0 where none was named. Raises Unusable for a reply that cannot be read.
    """
    return quoting.read(reply, excerpts) if way == "quote" else numbering.read(reply, excerpts, chars=chars)
