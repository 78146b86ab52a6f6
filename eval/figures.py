"""The figures and rows of a run that asked as visitors do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from eval.essays import metrics as essay_metrics
from eval.metrics import mean, quantile
from eval.questions import Moment
from eval.statistics import Kind, interval
from qandai.answer import Answer
from qandai.model import Clip

if TYPE_CHECKING:
    from eval.played import Played

NEAR = 5.0
STAGES = ("expand", "embed", "retrieve", "select", "generate", "align", "total")


def metrics(played: Sequence[Played], *, essays: bool = False, models: bool = False) -> dict[str, float | int | None]:
    """Shares of the answerable questions; errors, in seconds from the answer's first word, of the right plays;
    `starts_on_question` of the right plays whose gold has a question before the answer. What a provider failed to do is
    in none of them."""
    lost = sum(one.outcome == "provider" for one in played)
    played = [one for one in played if one.outcome != "provider"]
    asked = [one for one in played if one.asked.answerable]
    foreign = [one for one in played if not one.asked.answerable]
    timed = [one for one in asked if one.asked.moments]
    errors = [abs(one.error) for one in asked if one.error is not None]
    begun = [one.on_question for one in asked if one.on_question is not None]
    totals = [one.timings_ms["total"] for one in played if one.timings_ms]
    found: dict[str, float | int | None] = {
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
    if models:
        found |= _of_models(played, lost)
    return found | (essay_metrics([(one.asked, one.text) for one in played]) if essays else {})


def _of_models(played: Sequence[Played], lost: int) -> dict[str, float | int | None]:
    """`unusable`: questions for which a model's reply could not be used, `unverified`: among them those for which it
    quoted what was never said. Tokens are those of a question."""
    reasons = [
        [trouble.said for trouble in one.answer.making.troubles if trouble.cause == "unusable"] for one in played
    ]
    called = [one for one in played if one.calls]
    return {
        "provider_errors": lost,
        "called": mean([bool(one.calls) for one in played]),
        "unusable": mean([bool(said) for said in reasons]),
        "unverified": mean([any("never said" in each for each in said) for said in reasons]),
        "tokens_in": mean([sum(call.prompt_tokens for call in one.calls) for one in called]),
        "tokens_out": mean([sum(call.reply_tokens for call in one.calls) for one in called]),
        "model_ms_p50": quantile([sum(call.ms for call in one.calls) for one in called], 0.5),
        "model_ms_p95": quantile([sum(call.ms for call in one.calls) for one in called], 0.95),
    }


def _near(one: Played) -> bool:
    return one.error is not None and abs(one.error) <= NEAR


def rows(played: Sequence[Played], *, essays: bool = False) -> list[dict[str, object]]:
    return [
        {
            "id": one.asked.id,
            "question": one.asked.text,
            "answerable": one.asked.answerable,
            "outcome": one.outcome,
            "right_play": None if one.outcome == "provider" else float(one.outcome == "right"),
            "within_5s": float(_near(one)) if one.asked.moments and one.outcome != "provider" else None,
            "refused": None if one.outcome == "provider" else float(one.clip is None),
            "error": None if one.error is None else round(one.error, 3),
            "starts_on_question": None if one.on_question is None else float(one.on_question),
            "played": None if one.clip is None else _told(one.clip),
            "gold": [_gold(moment) for moment in one.asked.moments],
            "timings_ms": one.timings_ms and {stage: round(ms, 2) for stage, ms in one.timings_ms.items()},
            **_helped(one),
            **({"holds_answer": float(one.text is not None and one.text.holds)} if essays else {}),
        }
        for one in played
    ]


def _helped(one: Played) -> dict[str, object]:
    """What models had to do with it; nothing where none was asked."""
    making = one.answer.making
    told: dict[str, object] = {}
    if one.calls or making.troubles:
        told |= {
            "model": making.model,
            "tokens": [sum(call.prompt_tokens for call in one.calls), sum(call.reply_tokens for call in one.calls)],
            "troubles": [f"{trouble.model}: {trouble.cause}: {trouble.said[:200]}" for trouble in making.troubles],
        }
    if isinstance(one.answer, Answer) and one.answer.essay:
        told["text"] = " ".join(statement.text for statement in one.answer.essay.statements)
    return told


def _told(clip: Clip) -> dict[str, object]:
    return {
        "video_id": clip.video.id,
        "start": round(clip.start, 3),
        "end": round(clip.end, 3),
        "text": clip.quote.text[:240],
    }


def _gold(moment: Moment) -> dict[str, object]:
    return {"video_id": moment.video_id, "start": moment.start, "end": moment.end, "answer": moment.answer}


def intervals(told: Sequence[Mapping[str, object]], seed: int) -> dict[str, tuple[float, float]]:
    kept = [row for row in told if row["answerable"] and row["outcome"] != "provider"]
    figures: dict[str, tuple[list[float], Kind]] = {
        name: ([float(str(row[name])) for row in kept if row.get(name) is not None], "mean")
        for name in ("right_play", "within_5s", "refused", "starts_on_question", "holds_answer")
    }
    errors = [abs(float(str(row["error"]))) for row in kept if row["error"] is not None]
    figures["median_start_error"] = (errors, "median")
    figures["p90_start_error"] = (errors, "p90")
    return {
        name: bounds
        for name, (values, kind) in figures.items()
        if (bounds := interval(values, kind, seed=seed)) is not None
    }
