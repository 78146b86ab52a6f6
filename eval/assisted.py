"""The models that the settings name, as an evaluation asks them: with patience, counted, and without a hurry."""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from types import TracebackType
from typing import TypeVar, get_args

from eval.patient import OF_PROVIDERS, PATIENT, Patience, PatientLlm, Replies, Tally
from qandai import compose_models
from qandai.adapters import llms
from qandai.answer import Making
from qandai.asking.models import Models, Reading
from qandai.chain import Chain, Deadline, Outcome, Rests, Task
from qandai.chat import Llm, Step, Trouble
from qandai.errors import AccessRefused, UsageError
from qandai.settings import SelectWay, Settings

ALL: tuple[Step, ...] = get_args(Step)
Made = TypeVar("Made")
EXPAND: Step = "expand"
SELECT: Step = "select"
_NO_HURRY = 1e9  # seconds


class Assistance:
    """Raises UsageError where the settings name no model, or one without its key. Closing it ends what it started."""

    def __init__(
        self,
        settings: Settings,
        *,
        patience: Patience = PATIENT,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        kind = llms.kind_of(settings)
        if kind == "none":
            raise UsageError(
                "No language model is set.", hint="QANDAI_LLM names one: groq, openai, local or echo; docs/models.md."
            )
        self._settings = settings
        self._local = kind == "local"
        self._made = llms.models(settings)
        self.tally = Tally()
        replies = None if kind == "echo" else Replies(settings.store / "replies")

        def patient(llm: Llm) -> Llm:
            return PatientLlm(llm, replies=replies, tally=self.tally, patience=patience, sleep=sleep)

        self.steps: Mapping[Step, tuple[Llm, ...]] = {
            step: tuple(map(patient, found)) for step, found in self._made.steps.items()
        }

    def __enter__(self) -> Assistance:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, at: TracebackType | None
    ) -> None:
        self._made.close()

    def models(self, steps: Collection[Step] = ALL, *, way: SelectWay | None = None) -> Models:
        """Those of some steps. `way` None: as the settings say, or each model's own."""
        awake = _Awake()
        chosen = way or self._settings.select_way
        return Models(
            {step: Chain(step, found, awake) for step, found in self.steps.items() if step in steps},
            way_of=lambda model: chosen or compose_models.way_of(model),
            reading=compose_models.LOCAL_READING if self._local else Reading(),
            seconds=_NO_HURRY,
            hurry=_NO_HURRY,
        )

    def described(self, steps: Collection[Step] = ALL) -> dict[str, list[str]]:
        """Whom each step asks, as a run's JSON says it."""
        return {step: [llm.model for llm in found] for step, found in self.steps.items() if step in steps and found}


class _Awake(Rests):
    """Patience has waited already: no model is left alone."""

    def rest(self, llm: Llm, trouble: Trouble, seconds: float) -> None:
        pass


def ask(llm: Llm, task: Task[Made]) -> Outcome[Made]:
    """One model, one task. Raises AccessRefused for a key that is refused."""
    outcome = Chain(SELECT, [llm], _Awake()).ask(lambda _: task, Deadline(_NO_HURRY))
    for trouble in outcome.troubles:
        if trouble.cause == "key":
            raise AccessRefused(trouble.said)
    return outcome


def by_provider(outcome: Outcome[Made]) -> bool:
    """Whether nothing was made because of a provider."""
    return outcome.value is None and any(trouble.cause in OF_PROVIDERS for trouble in outcome.troubles)


def named(settings: Settings, model: str) -> Settings:
    """The same provider with one model for every step."""
    return replace(settings, model_expand=model, model_select=model, model_synthesise=model, model_classify=model)


def family(model: str) -> str:
    """What a model descends from, as far as its name tells: `openai/gpt-oss-20b` is of gpt, `qwen/qwen3-32b` of
    qwen."""
    found = re.match(r"[a-z]+", model.rpartition("/")[2].casefold())
    return found[0] if found else model


def lost_to_provider(making: Making) -> bool:
    """Whether a part of an answer was made without a model because of its provider. Raises AccessRefused where a key
    was refused: nothing that follows would be measured."""
    for trouble in making.troubles:
        if trouble.cause == "key":
            raise AccessRefused(trouble.said)
    lost = {
        "select": "clip" in making.lacking,
        "synthesise": "text" in making.lacking,
        "expand": not making.rewrites,
        "classify": False,  # it is answered in one of two modes in any case
    }
    return any(lost[trouble.step] and trouble.cause in OF_PROVIDERS for trouble in making.troubles)


def patience_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--longest-wait",
        type=float,
        default=900.0,
        metavar="SECONDS",
        help="give a question up, and count it apart, where a provider wants a longer wait; default 900",
    )


def patience_of(given: argparse.Namespace) -> Patience:
    return Patience(longest_wait=given.longest_wait)
