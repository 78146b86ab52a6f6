"""The models of one step, best first: who is asked, for how long, and who is asked next when that fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from time import monotonic
from typing import Generic, TypeVar

from qandai.chat import Cause, Completion, Llm, Prompt, Remedy, Step, Trouble
from qandai.errors import (
    AccessRefused,
    ProviderError,
    Refused,
    Throttled,
    TimedOut,
    TooLarge,
    Unavailable,
    Unusable,
)

Made = TypeVar("Made")

_UNTOLD = 5.0  # seconds that a spent model is left alone where its provider names no time
_LONGEST = 3600.0
_AFTER = {"key": 60.0, "gone": 300.0, "slow": 15.0}
_PATIENT = 3.0  # seconds; whoever did not answer in a shorter time may have had too little of it
_LEAST = 0.05  # seconds that are worth a call


class Deadline:
    """The second at which an answer must be there, whatever is still missing."""

    def __init__(self, seconds: float, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._at = clock() + seconds

    @property
    def left(self) -> float:
        """Seconds, never below 0."""
        return max(0.0, self._at - self._clock())

    def end(self) -> None:
        """Nothing more is worth waiting for."""
        self._at = self._clock()

    def sooner(self, seconds: float) -> Deadline:
        """So many seconds from now, or this one where it comes first."""
        return Deadline(min(seconds, self.left), self._clock)


@dataclass(frozen=True, slots=True)
class Task(Generic[Made]):
    """What is asked of a model, and how its reply is read: `read` raises Unusable for one that it cannot use."""

    prompt: Prompt
    read: Callable[[str], Made]


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Made]):
    """What became of a step. `value` None: no model did it, so the answer goes without. `troubles`: every model that
    failed or was left alone, in order, whether or not a later one did it."""

    step: Step
    value: Made | None = None
    model: str | None = None
    troubles: tuple[Trouble, ...] = ()


class Rests:
    """Which models are left alone, and until when. One for all steps: limits are counted by model. Threads share it."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._until: dict[tuple[str, str | None], tuple[float, Trouble]] = {}

    def rest(self, llm: Llm, trouble: Trouble, seconds: float) -> None:
        whole = trouble.remedy == "stop"  # a key is refused for all of a provider's models
        with self._lock:
            self._until[llm.provider, None if whole else llm.model] = (self._clock() + seconds, trouble)

    def of(self, llm: Llm, step: Step) -> Trouble | None:
        """Why it is left alone, with the seconds that are left; None where it may be asked."""
        for key in ((llm.provider, None), (llm.provider, llm.model)):
            until, trouble = self._until.get(key, (0.0, None))
            left = until - self._clock()
            if trouble is not None and left > 0:
                return replace(trouble, step=step, model=llm.model, wait=left if trouble.wait else None)
        return None


class Chain:
    """Threads share it. Without models every step goes without."""

    def __init__(self, step: Step, models: Sequence[Llm], rests: Rests | None = None) -> None:
        self.step: Step = step
        self.models = tuple(models)
        self._rests = rests or Rests()

    def ask(self, task_for: Callable[[str], Task[Made]], deadline: Deadline) -> Outcome[Made]:
        """What is made of the first reply that can be used. `task_for`: what a model of that name is asked."""
        troubles: list[Trouble] = []
        for llm, seconds in self.turns(deadline, troubles):
            task = task_for(llm.model)
            try:
                said = self._complete(llm, task.prompt, seconds, deadline)
                return Outcome(self.step, task.read(said.text), llm.model, tuple(troubles))
            except ProviderError as error:
                troubles.append(self.failed(llm, error, seconds))
        return Outcome(self.step, troubles=tuple(troubles))

    def stream(
        self, prompt: Prompt, read: Callable[[Iterable[str]], Iterator[Made]], deadline: Deadline
    ) -> Writing[Made]:
        """What `read` makes of a reply while it is written. The first call begins at once."""
        return Writing(self, prompt, read, deadline)

    def turns(self, deadline: Deadline, troubles: list[Trouble]) -> Iterator[tuple[Llm, float]]:
        """Who may be asked now, and for how long: an equal share of what is left, so that nobody uses up the time of
        those who come after."""
        for place, llm in enumerate(self.models):
            resting = self._rests.of(llm, self.step)
            if resting is not None:
                troubles.append(resting)
                continue
            seconds = deadline.left / (len(self.models) - place)
            if seconds < _LEAST:
                late = "There was no time left to ask it."
                troubles.append(Trouble(self.step, llm.model, "slow", "switch", said=late))
                return
            yield llm, seconds

    def _complete(self, llm: Llm, prompt: Prompt, seconds: float, deadline: Deadline) -> Completion:
        """Providers count the reply that they may be asked for. What is too much is asked for once more by half, where
        nobody else is left."""
        try:
            return llm.complete(prompt, seconds=seconds)
        except TooLarge:
            if llm is not self.models[-1] or deadline.left < _LEAST:
                raise
            return llm.complete(replace(prompt, longest=prompt.longest // 2), seconds=deadline.left)

    def failed(self, llm: Llm, error: ProviderError, seconds: float) -> Trouble:
        cause, remedy = _judged(error)
        wait = error.wait if isinstance(error, Throttled) else None
        trouble = Trouble(self.step, llm.model, cause, remedy, wait, str(error))
        if cause == "spent":
            trouble = replace(trouble, wait=min(_LONGEST, _UNTOLD if wait is None else wait))
            self._rests.rest(llm, trouble, trouble.wait or 0.0)
        elif cause in _AFTER and (cause != "slow" or seconds >= _PATIENT):
            self._rests.rest(llm, trouble, _AFTER[cause])
        return trouble


class Writing(Generic[Made]):
    """A reply that is read while it is written, by one thread.

    Each model has its share of the time to begin, and then all that is left. One of whose reply nothing could be used
    is followed by the next. One that breaks off later ends the reply: what was read until then has been shown.
    """

    def __init__(
        self,
        chain: Chain,
        prompt: Prompt,
        read: Callable[[Iterable[str]], Iterator[Made]],
        deadline: Deadline,
    ) -> None:
        self._chain = chain
        self._read = read
        self._troubles: list[Trouble] = []
        asked = chain.turns(deadline, self._troubles)
        self._turns = (
            (llm, seconds, llm.stream(prompt, seconds=deadline.left, first=seconds)) for llm, seconds in asked
        )
        self._turn = next(self._turns, None)
        self._closed = False
        self.outcome: Outcome[int] = Outcome(chain.step)

    def __iter__(self) -> Iterator[Made]:
        """Once. `outcome` counts what was read, and says who wrote it, when it has ended."""
        made = 0
        writer = None
        while self._turn is not None and not made and not self._closed:
            llm, seconds, pieces = self._turn
            try:
                for item in self._read(pieces):
                    made += 1
                    writer = llm.model
                    yield item
                if not made:
                    raise Unusable("nothing that it wrote could be used")
            except ProviderError as error:
                self._troubles.append(self._chain.failed(llm, error, seconds))
            finally:
                pieces.close()
            self._turn = None if made or self._closed else next(self._turns, None)
        self.outcome = Outcome(self._chain.step, made or None, writer, tuple(self._troubles))

    def close(self) -> None:
        """Ends the call, whether or not anything was read of it; also from another thread than the one that reads."""
        self._closed = True
        turn = self._turn
        if turn is not None:
            turn[2].close()


def _judged(error: ProviderError) -> tuple[Cause, Remedy]:
    kinds: tuple[tuple[type[ProviderError], Cause, Remedy], ...] = (
        (Throttled, "spent", "wait"),
        (TooLarge, "too large", "switch"),
        (TimedOut, "slow", "switch"),
        (Unavailable, "gone", "alert"),
        (AccessRefused, "key", "stop"),
        (Unusable, "unusable", "switch"),
        (Refused, "refused", "alert"),
    )
    return next(
        ((cause, remedy) for kind, cause, remedy in kinds if isinstance(error, kind)), ("unreachable", "switch")
    )
