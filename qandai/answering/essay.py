"""What a model writes of the whole archive, read while it is written: every sentence is checked before it is shown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from qandai.answer import Statement
from qandai.answering import citations
from qandai.answering.refusals import ASIDE, is_limitation
from qandai.answering.sentences import Typed, sentences
from qandai.answering.support import Grounds
from qandai.answering.tail import Tail, TailReader
from qandai.model import Excerpt, Person
from qandai.text import tokens

MOST_SENTENCES = 24
_MOST_LIMITS = 3
_MOST_REPEATS = 2  # of sentences that stood there before; after that it goes round in circles
_ENDED = re.compile(r"[.!?…。！？؟;\u037e][\"'’”»)\]]*\Z")


@dataclass(frozen=True, slots=True)
class Declined:
    """The model says that the excerpts do not answer, and nothing else that can be used."""


def read(
    pieces: Iterable[str], *, question: str, person: Person, excerpts: Sequence[Excerpt]
) -> Iterator[Statement | Tail | Declined]:
    """Statements as their sentences end, then what stands under them. Only `Declined` where the model refuses; nothing
    where nothing can be used. Raises what the pieces raise."""
    essay = _Essay(Grounds.of(question, person, excerpts))
    tail = TailReader()
    for typed in sentences(pieces, language=person.language):
        if not tail.takes(typed):
            yield from essay.judged(typed)
        if essay.full:
            break
    if not essay.told:
        if essay.refused:
            yield Declined()
        return
    under = tail.read(excerpts, essay.grounds.concerns)
    if under.themes or under.key_quote:
        yield under


class _Essay:
    """What became of the sentences so far."""

    def __init__(self, grounds: Grounds) -> None:
        self.grounds = grounds
        self.told = 0
        self._judged = 0
        self.refused = False  # it begins by saying that nothing is covered
        self._limits: list[Statement] = []  # not shown before anything is told: they may be all there is
        self._limited = 0
        self._seen: set[tuple[str, ...]] = set()
        self._repeats = 0
        self._paragraph = True

    @property
    def full(self) -> bool:
        return self.told >= MOST_SENTENCES or self._repeats > _MOST_REPEATS

    def judged(self, typed: Typed) -> Iterator[Statement]:
        """The sentence, if it may be shown, and what waited for it: the first of all is one that cites."""
        self._paragraph = self._paragraph or typed.opens
        statement = self._statement(typed)
        if statement is None:
            return
        if statement.cites:
            self.told += 1
            yield replace(statement, paragraph=self._paragraph or self.told == 1)
        else:
            self._limited += 1
            self._limits.append(replace(statement, paragraph=self._paragraph and self.told > 0))
        self._paragraph = False
        if self.told:
            yield from self._limits
            self._limits = []

    def _statement(self, typed: Typed) -> Statement | None:
        text, cites, cited_last = citations.split(typed.text, self.grounds.excerpts)
        text = _shown(text)
        words = tokens(text)
        if not words:
            return None
        if words in self._seen:
            self._repeats += 1
            return None
        self._seen.add(words)
        self._judged += len(words) > ASIDE
        text = self.grounds.quoting(text, cites)
        ended = cited_last or _ENDED.search(text) is not None
        supporting = self.grounds.supporting(text, cites) if ended else ()
        if supporting and not self.grounds.as_person(text):
            return Statement(self.grounds.quoting(text, supporting), supporting)
        if not is_limitation(text, self.grounds.language):
            return None
        self.refused = self.refused or self._judged == 1
        return Statement(text, ()) if self._limited < _MOST_LIMITS and self.grounds.concerns(text, spare=1) else None


def _shown(text: str) -> str:
    """Without what nobody sees."""
    return "".join(char for char in text if unicodedata.category(char)[0] != "C").strip()
