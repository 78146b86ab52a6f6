"""Who speaks when in an excerpt, and who of them asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from qandai.answering.questions import is_question
from qandai.model import Person, Sentence, Span, Speaking
from qandai.text import tokens

_CLOSING = 3  # sentences at the end of a turn among which its question stands
_OFTEN = 0.4  # share of turns that end in a question, from which on somebody is taken for the interviewer


@dataclass(frozen=True, slots=True)
class Speech:
    """How a person's recordings are spoken. `speaking` None: their speakers and turns decide."""

    language: str = "en"
    speaking: Speaking | None = None
    host: str | None = None

    @classmethod
    def of(cls, person: Person) -> Speech:
        return cls(person.language, person.speaker, person.host)


@dataclass(frozen=True, slots=True)
class Turn:
    """Sentences `first` to `last` (inclusive places in the excerpt) of one voice; `speaker` folded, None: unknown.

    `opened`: the turn begins here; False for the first of an excerpt, which may have begun before it.
    """

    first: int
    last: int
    speaker: tuple[str, ...] | None
    opened: bool
    asks: bool


def turns(sentences: Sequence[Sentence], speech: Speech) -> tuple[Turn, ...]:
    """Tiles the sentences. A turn asks when one of its last sentences is a question."""
    borders = [0]
    for place in range(1, len(sentences)):
        before, word = sentences[place - 1].span.words[-1], sentences[place].span.words[0]
        if word.turn or word.speaker != before.speaker:
            borders.append(place)
    found = []
    for first, end in zip(borders, [*borders[1:], len(sentences)], strict=True):
        closing = sentences[max(first, end - _CLOSING) : end]
        word = sentences[first].span.words[0]
        found.append(
            Turn(
                first,
                end - 1,
                tokens(word.speaker) if word.speaker else None,
                opened=first > 0 or word.turn,
                asks=any(is_question(sentence.span.text, language=speech.language) for sentence in closing),
            )
        )
    return tuple(found)


def interviewers(heard: Iterable[Turn], speech: Speech) -> frozenset[tuple[str, ...]]:
    """The speakers, folded, who ask: the host where one is named, else whose turns most often end in a question."""
    asked: dict[tuple[str, ...], list[bool]] = {}
    for turn in heard:
        if turn.speaker:
            asked.setdefault(turn.speaker, []).append(turn.asks)
    if speech.host and (hosts := _called(speech.host, asked)):
        return hosts
    shares = {speaker: sum(asks) / len(asks) for speaker, asks in asked.items() if len(asks) > 1}
    most = max(shares.values(), default=0.0)
    return frozenset(speaker for speaker, share in shares.items() if share == most and share >= _OFTEN)


def asks(turn: Turn, asking: frozenset[tuple[str, ...]]) -> bool:
    """`asking`: those who are known to ask."""
    return turn.speaker in asking if turn.speaker and asking else turn.asks


def past_question(span: Span, sentences: Sequence[Sentence], speech: Speech) -> Span:
    """Where speakers change, the words without the question before them; of one speaker, or a question alone, all."""
    voices = turns(sentences, speech)
    if speech.speaking == "solo" or len(voices) < 2:
        return span
    asking = interviewers(voices, speech)
    for turn, later in pairwise(voices):
        begins = sentences[later.first].span.first
        if asks(turn, asking) and sentences[turn.first].span.first <= span.first < begins <= span.last:
            return Span(span.row, begins, span.last)
    return span


def _called(name: str, speakers: Iterable[tuple[str, ...]]) -> frozenset[tuple[str, ...]]:
    """Those of that name; where nobody has all of it, those with a part of it, as captions shorten names."""
    wanted = tokens(name)
    whole = frozenset(speaker for speaker in speakers if speaker == wanted)
    return whole or frozenset(speaker for speaker in speakers if set(wanted) & set(speaker))
