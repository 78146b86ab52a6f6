"""Questions with what counts as an answer: time ranges or words, never passage ids, so they outlive every re-cut."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from qandai.errors import UsageError
from qandai.model import Span
from qandai.text import tokens

OPEN_END = 60.0
"""Seconds that count as the answer where nobody noted its end."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Where an answer lies: seconds of one recording. `answer` is its first word; before it a question is put."""

    video_id: str
    start: float
    end: float
    answer: float


@dataclass(frozen=True, slots=True)
class Asked:
    """One question. It has moments, or words that an answer contains, or nobody answered it."""

    id: str
    text: str
    moments: tuple[Moment, ...] = ()
    contains: tuple[tuple[str, ...], ...] = ()
    answerable: bool = True
    language: str | None = None

    def met_by(self, span: Span) -> bool:
        """Whether any word of the span lies in a moment, or the span contains the words asked for."""
        return any(_holds(span, moment) for moment in self.moments) or self.worded_in(span.text)

    def worded_in(self, text: str) -> bool:
        said = f" {' '.join(tokens(text))} "
        return any(f" {' '.join(words)} " in said for words in self.contains)


def read_questions(path: Path) -> tuple[Asked, ...]:
    """Raises UsageError with the line that cannot be read."""
    if not path.is_file():
        raise UsageError(f"{path} is not a file.", hint="--questions names a file of JSON lines.")
    questions = tuple(_parsed(path))
    if not questions:
        raise UsageError(f"{path} holds no questions.")
    return questions


def _parsed(path: Path) -> Iterator[Asked]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip():
            try:
                yield _question(json.loads(line), number)
            except (ValueError, KeyError, TypeError, AttributeError) as exc:
                reason = f"{exc} is missing" if isinstance(exc, KeyError) else str(exc)
                raise UsageError(f"{path}:{number}: not a question: {reason}.") from exc


def _question(fields: Mapping[str, object], number: int) -> Asked:
    contains = fields.get("contains") or ()
    answerable = bool(fields.get("answerable", True))
    if not isinstance(contains, Sequence) or isinstance(contains, str):
        raise TypeError("`contains` must be a list")
    timed = answerable and not contains
    others = fields.get("also_correct") or ()
    if not isinstance(others, Sequence):
        raise TypeError("`also_correct` must be a list")
    language = fields.get("language")
    return Asked(
        id=str(fields.get("id", number)),
        text=str(fields["question"]),
        moments=(_moment(fields), *(_moment(other) for other in others)) if timed else (),
        contains=tuple(tokens(str(words)) for words in contains),
        answerable=answerable,
        language=None if language is None else str(language),
    )


def _moment(fields: Mapping[str, object]) -> Moment:
    start = _number(fields["start"])
    noted = fields.get("answer_start")
    answer = start if noted is None else max(start, _number(noted))  # a note of an answer before its question is wrong
    end = fields.get("end")
    return Moment(str(fields["video_id"]), start, answer + OPEN_END if end is None else _number(end), answer)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is not a number of seconds")
    return float(value)


def _holds(span: Span, moment: Moment) -> bool:
    if span.video.id != moment.video_id or span.start >= moment.end:
        return False
    return any(word.start < moment.end and word.end > moment.start for word in span.words)
