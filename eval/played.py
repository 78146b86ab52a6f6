"""What a visitor gets, question by question: the second that is played, and how long it takes to find it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from eval.metrics import mean, quantile
from eval.questions import Asked, Moment
from eval.runs import Run
from eval.statistics import Kind, interval
from eval.subject import Subject
from qandai.answer import Answer, NoAnswer
from qandai.ask import Asker
from qandai.model import Clip, Question

EARLY = 5.0
"""Seconds before the gold start from which on a clip counts as right."""

NEAR = 5.0
ON_QUESTION = 1.0
"""A clip begins on the question when its first word is said so many seconds before the answer's first."""

LIVE = 100
"""Questions that are embedded when they are asked, so that the times are those of a visitor."""

STAGES = ("expand", "embed", "retrieve", "select", "generate", "align", "total")

Outcome = Literal["right", "refused", "retrieval", "selection"]


@dataclass(frozen=True, slots=True)
class Played:
    """What became of a question. `timings_ms` None where its vector was known beforehand.

    `outcome`: right; refused; no excerpt that was read holds the answer (retrieval); or one does, and something else
    is played (selection). Of a question that nobody answered: right when it is refused.
    """

    asked: Asked
    clip: Clip | None
    outcome: Outcome
    error: float | None
    on_question: bool | None
    timings_ms: Mapping[str, float] | None


def ask_all(subject: Subject, step: Callable[[int], object] = lambda _: None) -> list[Played]:
    """Asks every question as a visitor does. Raises as the asker does."""
    known, live = subject.asker(), subject.asker(live=True)
    known.warm(subject.person.slug)
    for embedder in subject.embedders:
        embedder.query("warm up")
    played = []
    for number, asked in enumerate(subject.data.questions):
        played.append(_ask(live if number < LIVE else known, subject, asked, timed=number < LIVE))
        step(1)
    return played


def _ask(asker: Asker, subject: Subject, asked: Asked, *, timed: bool) -> Played:
    answer = asker.ask(Question(subject.person.slug, asked.text, top_k=subject.settings.top_k))
    clip = answer.clip if isinstance(answer, Answer) else None
    lead = subject.settings.lead_seconds
    moment = None if clip is None else _heard(asked, clip)
    return Played(
        asked,
        clip,
        _outcome(asked, answer),
        None if clip is None or moment is None else clip.start - moment.answer,
        None if clip is None or moment is None else _on_question(clip, moment, lead),
        dict(answer.timings_ms) if timed else None,
    )


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


def metrics(played: Sequence[Played]) -> dict[str, float | int | None]:
    """Shares of the answerable questions; errors, in seconds from the answer's first word, of the right plays;
    `starts_on_question` of the right plays whose gold has a question before the answer."""
    asked = [one for one in played if one.asked.answerable]
    foreign = [one for one in played if not one.asked.answerable]
    timed = [one for one in asked if one.asked.moments]
    errors = [abs(one.error) for one in asked if one.error is not None]
    begun = [one.on_question for one in asked if one.on_question is not None]
    totals = [one.timings_ms["total"] for one in played if one.timings_ms]
    return {
        "right_play": mean([one.outcome == "right" for one in asked]),
        "within_5s": mean([_near(one) for one in timed]) if timed else None,
        "median_start_error": quantile(errors, 0.5),
        "p90_start_error": quantile(errors, 0.9),
        "starts_on_question": mean(begun) if begun else None,
        "refused": mean([one.clip is None for one in asked]),
        "failed_retrieval": mean([one.outcome == "retrieval" for one in asked]),
        "failed_selection": mean([one.outcome == "selection" for one in asked]),
        "foreign_refused": mean([one.clip is None for one in foreign]) if foreign else None,
        "ms_p50": quantile(totals, 0.5),
        "ms_p95": quantile(totals, 0.95),
    } | {
        f"{stage}_ms_p50": quantile([one.timings_ms[stage] for one in played if one.timings_ms], 0.5)
        for stage in STAGES
        if stage != "total"
    }


def _near(one: Played) -> bool:
    return one.error is not None and abs(one.error) <= NEAR


def rows(played: Sequence[Played]) -> list[dict[str, object]]:
    return [
        {
            "id": one.asked.id,
            "question": one.asked.text,
            "answerable": one.asked.answerable,
            "outcome": one.outcome,
            "right_play": float(one.outcome == "right"),
            "within_5s": float(_near(one)) if one.asked.moments else None,
            "refused": float(one.clip is None),
            "error": None if one.error is None else round(one.error, 3),
            "starts_on_question": None if one.on_question is None else float(one.on_question),
            "played": None if one.clip is None else _told(one.clip),
            "gold": [_gold(moment) for moment in one.asked.moments],
            "timings_ms": one.timings_ms and {stage: round(ms, 2) for stage, ms in one.timings_ms.items()},
        }
        for one in played
    ]


def _told(clip: Clip) -> dict[str, object]:
    return {
        "video_id": clip.video.id,
        "start": round(clip.start, 3),
        "end": round(clip.end, 3),
        "text": clip.quote.text[:240],
    }


def _gold(moment: Moment) -> dict[str, object]:
    return {"video_id": moment.video_id, "start": moment.start, "end": moment.end, "answer": moment.answer}


def run(subject: Subject, *, seed: int = 0, step: Callable[[int], object] = lambda _: None) -> Run:
    played = ask_all(subject, step)
    told = rows(played)
    return Run(
        "end_to_end", subject.described(), subject.data.described(), metrics(played), told, seed, _sure(told, seed)
    )


def _sure(told: Sequence[Mapping[str, object]], seed: int) -> dict[str, tuple[float, float]]:
    kept = [row for row in told if row["answerable"]]
    figures: dict[str, tuple[list[float], Kind]] = {
        name: ([float(str(row[name])) for row in kept if row[name] is not None], "mean")
        for name in ("right_play", "within_5s", "refused", "starts_on_question")
    }
    errors = [abs(float(str(row["error"]))) for row in kept if row["error"] is not None]
    figures["median_start_error"] = (errors, "median")
    figures["p90_start_error"] = (errors, "p90")
    return {
        name: bounds
        for name, (values, kind) in figures.items()
        if (bounds := interval(values, kind, seed=seed)) is not None
    }
