"""What the rooms above want of language models: prompts and replies, and what went wrong with whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

Step = Literal["expand", "select", "synthesise", "classify"]
"""What a model is asked for. Each step has models of its own."""


@dataclass(frozen=True, slots=True)
class Form:
    """The JSON Schema of a reply. Every property is required and none may be added, as strict servers want it."""

    name: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is sent.

    `longest`: tokens that the visible reply may have; what a model thinks beforehand is its adapter's business.
    `form` None: plain text. `specimen`: a reply in the right form, for whoever answers without a model.
    """

    system: str
    user: str
    longest: int
    form: Form | None = None
    specimen: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """`text` is what a reader would see: never empty, no reasoning in it. Tokens are 0 where nobody counted."""

    text: str
    model: str
    prompt_tokens: int = 0
    reply_tokens: int = 0


class Pieces(Protocol):
    """A reply as it is written. Threads do not share it."""

    def __iter__(self) -> Iterator[str]: ...

    def __next__(self) -> str:
        """The next visible piece, not empty. Raises ProviderError, also in the middle of a reply."""

    def close(self) -> None:
        """Ends the call, whatever is still to come. Harmless at the end, and twice."""


class Llm(Protocol):
    """One model of one provider. Threads share it. It tries nothing again: whoever asks decides what comes next."""

    @property
    def model(self) -> str:
        """As its provider names it."""

    @property
    def provider(self) -> str:
        """Whose key it uses: where one model's key is refused, so is that of all others."""

    def complete(self, prompt: Prompt, *, seconds: float) -> Completion:
        """Raises ProviderError, TimedOut when the seconds are over: then, and not later."""

    def stream(self, prompt: Prompt, *, seconds: float, first: float | None = None) -> Pieces:
        """Begins at once, and goes on in the background; raises nothing. `seconds` is for the whole reply, `first` for
        its first piece, where that is less."""


Remedy = Literal["wait", "switch", "alert", "stop"]
"""wait: leave the model alone for a while and ask the next. switch: ask the next. alert: ask the next and tell the
operator. stop: ask no model of that provider, and tell the operator."""

Cause = Literal["spent", "slow", "unreachable", "gone", "key", "too large", "refused", "unusable"]


@dataclass(frozen=True, slots=True)
class Trouble:
    """A model that did not do its step, and what follows. `wait`: seconds until it may be asked again; None where no
    time is known. `said` is for the operator; visitors never see it."""

    step: Step
    model: str
    cause: Cause
    remedy: Remedy
    wait: float | None = None
    said: str = ""
