"""What a visitor gets, question by question: the second that is played, and how long it takes to find it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from eval import figures
from eval.assisted import ALL, Assistance, lost_to_provider
from eval.essays import Written, written
from eval.patient import Call
from eval.questions import Asked, Moment
from eval.runs import Run
from eval.subject import Subject
from qandai.answer import Answer, NoAnswer
from qandai.ask import Asker
from qandai.asking.models import Models
from qandai.chat import Step
from qandai.model import Clip, Mode, Question

EARLY = 5.0
"""Seconds before the gold start from which on a clip counts as right."""

ON_QUESTION = 1.0
"""A clip begins on the question when its first word is said so many seconds before the answer's first."""

LIVE = 100
"""Questions that are embedded when they are asked, so that the times are those of a visitor."""

Outcome = Literal["right", "refused", "retrieval", "selection", "provider"]


@dataclass(frozen=True, slots=True)
class Played:
    """What became of a question. `timings_ms` None where its vector was known beforehand.

    `outcome`: right; refused; no excerpt that was read holds the answer (retrieval); or one does, and something else
    is played (selection). Of a question that nobody answered: right when it is refused. Where a provider failed there
    is nothing to judge (provider): such a question is counted apart.
    """

    asked: Asked
    answer: Answer | NoAnswer
    clip: Clip | None
    outcome: Outcome
    error: float | None
    on_question: bool | None
    timings_ms: Mapping[str, float] | None
    calls: tuple[Call, ...] = ()
    text: Written | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """How questions are asked. `assistance` None: the recordings answer alone."""

    mode: Mode | Literal["auto"] = "clip"
    assistance: Assistance | None = None
    models: Models | None = None
    steps: Collection[Step] = ALL

    def label(self, of: str) -> str:
        """What a run is called that changes `of` and asks in this way."""
        parts: list[str] = [] if self.mode == "clip" else [self.mode]
        parts += [] if self.assistance is None else ["with models"]
        return " · ".join(parts if of == "defaults" and parts else [of, *parts])

    def described(self) -> dict[str, object]:
        return {"mode": self.mode, "models": self.assistance.described(self.steps) if self.assistance else {}}


def ask_all(subject: Subject, way: Way, step: Callable[[int], object] = lambda _: None) -> list[Played]:
    """Asks every question as a visitor does. Raises as the asker does, AccessRefused for a key that is refused."""
    known, live = (subject.asker(live=live, models=way.models) for live in (False, True))
    known.warm(subject.person.slug)
    for embedder in subject.embedders:
        embedder.query("warm up")
    played = []
    for number, asked in enumerate(subject.data.questions):
        played.append(_ask(live if number < LIVE else known, subject, asked, way, timed=number < LIVE))
        step(1)
    return played


def _ask(asker: Asker, subject: Subject, asked: Asked, way: Way, *, timed: bool) -> Played:
    answer = asker.ask(Question(subject.person.slug, asked.text, way.mode, subject.settings.top_k))
    calls = way.assistance.tally.take() if way.assistance else ()
    clip = answer.clip if isinstance(answer, Answer) else None
    lead = subject.settings.lead_seconds
    moment = None if clip is None else _heard(asked, clip)
    return Played(
        asked,
        answer,
        clip,
        "provider" if lost_to_provider(answer.making) else _outcome(asked, answer),
        None if clip is None or moment is None else clip.start - moment.answer,
        None if clip is None or moment is None else _on_question(clip, moment, lead),
        _timings(answer, calls) if timed else None,
        calls,
        written(asked, answer),
    )


def _timings(answer: Answer | NoAnswer, calls: Sequence[Call]) -> dict[str, float]:
    """As if each call to a model had been made just now, and without a wait."""
    waited = sum(call.spent_ms - call.ms for call in calls)
    return dict(answer.timings_ms) | {"total": max(0.0, answer.timings_ms["total"] - waited)}


def _outcome(asked: Asked, answer: Answer | NoAnswer) -> Outcome:
    if isinstance(answer, NoAnswer):
        return "refused" if asked.answerable else "right"
    if not asked.answerable:
        return "selection"
    if right(asked, answer.clip):
        return "right"
    held = any(asked.met_by(excerpt.row.whole()) for excerpt in answer.excerpts)
    return "selection" if held else "retrieval"


def right(asked: Asked, clip: Clip) -> bool:
    """The second that is played lies in an answer, or up to five before it; or the words asked for are played."""
    return _heard(asked, clip) is not None or asked.worded_in(clip.quote.text)


def _heard(asked: Asked, clip: Clip) -> Moment | None:
    """The moment that is played; of several the one whose answer begins nearest."""
    heard = [
        moment
        for moment in asked.moments
        if moment.video_id == clip.video.id and moment.start - EARLY <= clip.start <= moment.end
    ]
    return min(heard, key=lambda moment: abs(clip.start - moment.answer), default=None)


def _on_question(clip: Clip, moment: Moment, lead: float) -> bool | None:
    """None where nobody noted a question before the answer."""
    if moment.answer - moment.start < ON_QUESTION:
        return None
    return clip.start + lead < moment.answer - ON_QUESTION


def run(
    subject: Subject,
    *,
    way: Way = Way(),
    seed: int = 0,
    step: Callable[[int], object] = lambda _: None,
) -> Run:
    played = ask_all(subject, way, step)
    texts = way.mode != "clip"
    rows = figures.rows(played, essays=texts)
    return Run(
        "synthesis" if texts else "end_to_end",
        subject.described() | way.described() | {"label": way.label(subject.cell.label)},
        subject.data.described(),
        figures.metrics(played, essays=texts, models=way.models is not None),
        rows,
        seed,
        figures.intervals(rows, seed),
    )
