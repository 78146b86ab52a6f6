"""What an answer from the whole archive is worth: does it hold what it must, and is it told in what it cites?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eval.metrics import mean
from eval.questions import Asked
from qandai.answer import Answer, Essay, NoAnswer, Statement
from qandai.text import tokens

SUPPORTED = 0.5
_TELLING = 4  # letters from which on a word tells something
_BEGINNING = 5  # letters by which words of a family are known


@dataclass(frozen=True, slots=True)
class Written:
    """`holds`: the text, or the excerpts that it cites, hold the answer; without a text the highlights do. `contains`:
    the text itself says the words asked for; None where none were, or where there is no text."""

    holds: bool
    contains: bool | None
    sentences: int
    supported: int
    citations: int

    @property
    def missing(self) -> bool:
        return self.sentences == 0


def written(asked: Asked, answer: Answer | NoAnswer) -> Written | None:
    """None where nothing was to be written, or nobody answered."""
    if not isinstance(answer, Answer) or answer.essay is None:
        return None
    essay = answer.essay
    text = " ".join(statement.text for statement in essay.statements)
    cited = {number for statement in essay.statements for number in statement.cites}
    read = [excerpt for excerpt in essay.cited if not essay.statements or excerpt.number in cited]
    said = asked.worded_in(text)
    return Written(
        holds=said or any(asked.met_by(excerpt.row.whole()) for excerpt in read),
        contains=said if asked.contains and essay.statements else None,
        sentences=len(essay.statements),
        supported=sum(support(statement, essay) >= SUPPORTED for statement in essay.statements),
        citations=len(cited),
    )


def support(statement: Statement, essay: Essay) -> float:
    """The share of its longer words that its excerpts say, by their first five letters. Rougher than what the program
    itself checks, and made apart from it, so that a fault there is seen here."""
    said = {
        _family(word)
        for excerpt in essay.cited
        if excerpt.number in statement.cites
        for word in tokens(excerpt.row.whole().text)
    }
    telling = [word for word in tokens(statement.text) if len(word) >= _TELLING]
    return mean([_family(word) in said for word in telling]) if telling else 1.0


def metrics(found: Sequence[tuple[Asked, Written | None]]) -> dict[str, float | None]:
    """`holds_answer` of all answerable questions; the others of the answers that were written or should have been."""
    essays = [each for _, each in found if each is not None]
    texts = [each for each in essays if not each.missing]
    worded = [each.contains for each in texts if each.contains is not None]
    sentences = sum(each.sentences for each in texts)
    return {
        "holds_answer": mean([each is not None and each.holds for asked, each in found if asked.answerable]),
        "contains": mean(worded) if worded else None,
        "text_missing": mean([each.missing for each in essays]) if essays else None,
        "sentences": mean([each.sentences for each in texts]) if texts else None,
        "supported": sum(each.supported for each in texts) / sentences if sentences else None,
        "citations": mean([each.citations for each in texts]) if texts else None,
    }


def _family(word: str) -> str:
    return word[:_BEGINNING]
