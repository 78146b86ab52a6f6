"""What the operator reads of every question: how its answer came about, and which model failed and why."""

from __future__ import annotations

import structlog

from qandai.answer import Answer, Making, NoAnswer
from qandai.chat import Trouble
from qandai.model import Excerpt

log = structlog.get_logger(__name__)


def note(person: str, result: Answer | NoAnswer | tuple[Excerpt, ...], ms: float) -> None:
    """One line a question, without its words; one more for each model that needs the operator, and one for a key that
    is refused, however many steps it stops."""
    making = Making(mode="sources") if isinstance(result, tuple) else result.making
    log.info(
        "ask",
        person=person,
        mode=making.mode,
        answered=bool(result) if isinstance(result, tuple) else isinstance(result, Answer),
        model=making.model,
        lacking=list(making.lacking),
        short_circuited=making.short_circuited,
        troubles=[_said(trouble) for trouble in making.troubles],
        ms=round(ms, 1),
    )
    alarms: dict[object, Trouble] = {}
    for trouble in making.troubles:
        if trouble.remedy in ("alert", "stop"):
            alarms.setdefault("key" if trouble.remedy == "stop" else (trouble.step, trouble.model), trouble)
    for trouble in alarms.values():
        log.warning("model", **_said(trouble), hint=_hint(trouble))


def _said(trouble: Trouble) -> dict[str, object]:
    wait = None if trouble.wait is None else round(trouble.wait, 1)
    return {
        "step": trouble.step,
        "model": trouble.model,
        "cause": trouble.cause,
        "remedy": trouble.remedy,
        "wait": wait,
        "said": trouble.said,
    }


def _hint(trouble: Trouble) -> str:
    if trouble.cause == "key":
        return "Its key is refused: no model of this provider is asked until it is right. Try: qandai doctor"
    return f"Is QANDAI_MODEL_{trouble.step.upper()} a model that this provider still has? Try: qandai doctor"
