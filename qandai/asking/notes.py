"""What becomes known of an answer while it is made."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypeVar

from qandai.answer import Lack, Making
from qandai.asking.stopwatch import Stopwatch
from qandai.chain import Deadline, Outcome
from qandai.chat import Trouble
from qandai.leaving import Leaving
from qandai.model import Excerpt, Mode, Person, Pick, Question, Span
from qandai.ports import Shelf
from qandai.retrieval.retriever import Search

Value = TypeVar("Value")

_SAYS_WHY = 0.1
"""Seconds more that a late step gets to say that it is late, and why: it ends at its own second, or soon after."""


@dataclass(slots=True)
class Notes:
    """`deadline` is that of the whole answer; searching does not wait longer than `hurry`. Threads do not share it."""

    watch: Stopwatch
    deadline: Deadline
    hurry: Deadline
    leaving: Leaving
    mode: Mode = "clip"
    understood_as: str | None = None
    model: str | None = None
    short_circuited: bool = False
    rewrites: tuple[str, ...] = ()
    troubles: list[Trouble] = field(default_factory=list)
    lacking: list[Lack] = field(default_factory=list)

    def of(self, outcome: Outcome[Value]) -> Value | None:
        """What came of a step; its troubles are kept."""
        self.troubles += outcome.troubles
        return outcome.value

    def in_time(self, coming: Future[Outcome[Value]]) -> Value | None:
        """The same of a step in the background; None where it is late."""
        try:
            return self.of(coming.result(self.hurry.left + _SAYS_WHY))
        except TimeoutError:
            return None

    def making(self) -> Making:
        return Making(
            self.mode,
            self.understood_as,
            self.model,
            tuple(self.troubles),
            tuple(self.lacking),
            self.short_circuited,
            self.rewrites,
        )


@dataclass(frozen=True, slots=True)
class Scene:
    """One question to one shelf, and what was found. `question` is as it was asked, `asked` as it was understood.

    `claims`: what the recordings say for themselves, best first; empty where nothing comes near. `others`: the moment
    of each excerpt.
    """

    question: Question
    asked: Question
    person: Person
    shelf: Shelf
    search: Search
    excerpts: tuple[Excerpt, ...]
    claims: Sequence[Pick | Span]
    others: tuple[Span, ...]
