"""The visitor's words for what language models did not do; the operator's are in the log."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from qandai.answer import Making
from qandai.chat import Step, Trouble

NO_MODEL = "No language model is set up, so the recording answers in its own words."

UNFINISHED = "The language model broke off before the text was finished."

_STEPS: dict[str, Step] = {"clip": "select", "text": "synthesise"}
_INSTEAD = "Meanwhile the recording answers in its own words."


@dataclass(frozen=True, slots=True)
class Excuse:
    """`wait`: seconds until it is worth asking again, which `text` names; None where no time is known."""

    text: str
    wait: int | None = None


def excuse(making: Making) -> Excuse | None:
    """None where nothing is missing that the visitor could have had."""
    if "text" not in making.lacking and _broke_off(making):
        return Excuse(UNFINISHED)
    if not making.lacking:
        return None
    steps = {_STEPS[part] for part in making.lacking}
    troubles = [trouble for trouble in making.troubles if trouble.step in steps]
    if not troubles:
        return Excuse(NO_MODEL)
    return _of(troubles)


def degraded(making: Making) -> str | None:
    """The same as one text, for the API."""
    said = excuse(making)
    return said.text if said else None


def _broke_off(making: Making) -> bool:
    """Whether the model whose text is shown is among those that failed."""
    writers = {trouble.model for trouble in making.troubles if trouble.step == "synthesise"}
    return making.mode == "synthesis" and making.model in writers


def _of(troubles: list[Trouble]) -> Excuse:
    """The most hopeful of several: who is only busy will be back first."""
    waits = [trouble.wait for trouble in troubles if trouble.cause == "spent" and trouble.wait is not None]
    if waits:
        wait = max(1, ceil(min(waits)))
        return Excuse(f"The language model is busy for another {wait} s. {_INSTEAD}", wait)
    causes = {trouble.cause for trouble in troubles}
    if causes & {"slow", "spent"}:
        return Excuse(f"The language model did not answer in time. {_INSTEAD}")
    if causes & {"unreachable"}:
        return Excuse(f"The language model cannot be reached just now. {_INSTEAD}")
    if any(trouble.remedy in ("alert", "stop") for trouble in troubles):
        return Excuse(f"The language model cannot be asked at present; the operator has been told. {_INSTEAD}")
    return Excuse(f"What the language model replied could not be used. {_INSTEAD}")
