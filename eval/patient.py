"""Models asked with patience: nobody waits for an evaluation, and a figure must not depend on a busy hour.

A provider that wants a wait gets all of it; one that fails is asked again. What a model once replied to a prompt is
kept on disk, so a run that is repeated costs nothing and gives the same figures.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock

from qandai.chat import Cause, Completion, Llm, Pieces, Prompt
from qandai.errors import (
    AccessRefused,
    ProviderError,
    Refused,
    Throttled,
    Unavailable,
    Unusable,
    Withheld,
)

OF_PROVIDERS: frozenset[Cause] = frozenset({"spent", "slow", "unreachable", "gone", "key", "refused", "too large"})
"""Troubles that say nothing about the model: they are counted apart, and never as its failures."""

_USELESS = (AccessRefused, Refused, Unavailable, Unusable, Withheld)  # to ask again


@dataclass(frozen=True, slots=True)
class Patience:
    """`seconds` for each call. A throttled call is made again `throttles` times unless a wait is longer than
    `longest_wait` seconds; one that fails or takes too long `tries` times."""

    seconds: float = 60.0
    throttles: int = 20
    longest_wait: float = 900.0
    tries: int = 3

    def backoff(self, time: int) -> float:
        """Seconds before the `time`th repetition where the provider names none."""
        return float(min(60, 2**time))


PATIENT = Patience()


@dataclass(frozen=True, slots=True)
class Call:
    """A prompt that was replied to. `ms`: the call itself, when it was made; `spent_ms`: what went by now, with waits,
    or next to nothing where the reply was `kept`."""

    model: str
    prompt_tokens: int
    reply_tokens: int
    ms: float
    spent_ms: float
    kept: bool


class Tally:
    """What was asked of whom. Threads share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._calls: list[Call] = []
        self.waited = 0.0
        """Seconds, in all."""

    def add(self, call: Call) -> None:
        with self._lock:
            self._calls.append(call)

    def wait(self, seconds: float) -> None:
        with self._lock:
            self.waited += seconds

    def take(self) -> tuple[Call, ...]:
        """The calls since it was last asked."""
        with self._lock:
            calls, self._calls = tuple(self._calls), []
        return calls


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    prompt_tokens: int
    reply_tokens: int
    ms: float


class Replies:
    """Replies on disk, a file each. One that cannot be read is as good as none."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, llm: Llm, prompt: Prompt) -> Reply | None:
        try:
            fields = json.loads(self._path(llm, prompt).read_text(encoding="utf-8"))
            return Reply(
                str(fields["text"]),
                int(fields["prompt_tokens"]),
                int(fields["reply_tokens"]),
                float(fields["ms"]),
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, llm: Llm, prompt: Prompt, reply: Reply) -> None:
        path = self._path(llm, prompt)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        part.write_text(json.dumps({"model": llm.model, **asdict(reply)}, ensure_ascii=False), encoding="utf-8")
        part.replace(path)

    def _path(self, llm: Llm, prompt: Prompt) -> Path:
        form = prompt.form and [prompt.form.name, prompt.form.schema]
        asked = json.dumps([llm.provider, llm.model, prompt.system, prompt.user, prompt.longest, form], sort_keys=True)
        name = re.sub(r"[^\w.-]+", "-", llm.model)[:60]
        return self._folder / name / f"{hashlib.sha256(asked.encode()).hexdigest()[:32]}.json"


class PatientLlm:
    """The `Llm` port. The seconds that a caller gives are not kept: patience has its own. Raises as the model does when
    it has asked often enough."""

    def __init__(
        self,
        llm: Llm,
        *,
        replies: Replies | None = None,
        tally: Tally | None = None,
        patience: Patience = PATIENT,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._llm = llm
        self._replies = replies
        self._tally = tally or Tally()
        self._patience = patience
        self._sleep = sleep
        self._clock = clock

    @property
    def model(self) -> str:
        return self._llm.model

    @property
    def provider(self) -> str:
        return self._llm.provider

    def complete(self, prompt: Prompt, *, seconds: float) -> Completion:
        began = self._clock()
        reply = self._replies.get(self._llm, prompt) if self._replies else None
        kept = reply is not None
        if reply is None:
            reply = self._asked(prompt)
            if self._replies:
                self._replies.keep(self._llm, prompt, reply)
        spent = (self._clock() - began) * 1000
        self._tally.add(Call(self.model, reply.prompt_tokens, reply.reply_tokens, reply.ms, spent, kept))
        return Completion(reply.text, self.model, reply.prompt_tokens, reply.reply_tokens)

    def stream(self, prompt: Prompt, *, seconds: float, first: float | None = None) -> Pieces:
        """The whole reply as one piece, asked for when it is read."""
        return _Whole(lambda: self.complete(prompt, seconds=seconds).text)

    def _asked(self, prompt: Prompt) -> Reply:
        throttled = failed = 0
        while True:
            began = self._clock()
            try:
                said = self._llm.complete(prompt, seconds=self._patience.seconds)
                return Reply(said.text, said.prompt_tokens, said.reply_tokens, (self._clock() - began) * 1000)
            except _USELESS:
                raise
            except Throttled as error:
                throttled += 1
                wait = self._patience.backoff(throttled) if error.wait is None else error.wait
                if throttled > self._patience.throttles or wait > self._patience.longest_wait:
                    raise
            except ProviderError:
                failed += 1
                wait = self._patience.backoff(failed)
                if failed > self._patience.tries:
                    raise
            self._tally.wait(wait)
            self._sleep(wait)


class _Whole:
    """The `Pieces` of a reply that is there as a whole."""

    def __init__(self, reply: Callable[[], str]) -> None:
        self._left: Iterator[Callable[[], str]] = iter((reply,))

    def __iter__(self) -> _Whole:
        return self

    def __next__(self) -> str:
        return next(self._left)()

    def close(self) -> None:
        self._left = iter(())
