"""Asking a transcriber for one piece: from the cache where it was heard before, patiently where it is not."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from qandai.errors import AccessRefused, ProviderError, Refused, Throttled
from qandai.hearing import Audio, AudioFormat, Heard, HeardCache, Transcriber
from qandai.ingest.transcribe.plan import Piece

ATTEMPTS = 4
"""Of a piece, when the service fails in a way that may pass."""

PATIENCE = 3600.0
"""Seconds that a piece waits for a service's limit, in all; longer, and it is left for another run."""

_BACK_OFF = 2.0  # seconds, doubled each time, where a service names none
_THROTTLED = 20.0  # the same, where its limit is reached: those are counted by the minute


class Gate:
    """When a service may be asked again. One limit holds for all pieces at once, so all of them wait."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._opens = clock()

    @property
    def wait(self) -> float:
        """Seconds until it opens."""
        return max(0.0, self._opens - self._clock())

    def shut(self, seconds: float) -> None:
        with self._lock:
            self._opens = max(self._opens, self._clock() + seconds)

    def pass_(self, sleep: Callable[[float], None]) -> None:
        """Returns when it is open; however long a sleep really takes, never sooner."""
        while (wait := self.wait) > 0:
            sleep(wait)


@dataclass(frozen=True, slots=True)
class Order:
    """What is wanted of every piece of a recording; `digest` is the hash of its content. Once `stopped`, nothing more
    is asked, and whoever waits gives up at once: a limit may last an hour, and Ctrl-C should not."""

    recording: Path
    digest: str
    language: str | None
    prompt: str
    form: AudioFormat
    stopped: threading.Event = field(default_factory=threading.Event, compare=False)


class Asker:
    """Asks for pieces. Threads share it, and with it the wait for a service's limit and how much is asked at once:
    pieces of several recordings do not add up to more than those of one."""

    def __init__(
        self,
        transcriber: Transcriber,
        audio: Audio,
        cache: HeardCache,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """`sleep` None: until the order is stopped."""
        self._transcriber = transcriber
        self._audio = audio
        self._cache = cache
        self._sleep = sleep
        self._gate = Gate(clock)
        self._room = threading.BoundedSemaphore(max(1, transcriber.limits.parallel))
        self._patience = patience

    def remembered(self, order: Order, piece: Piece) -> bool:
        return self._cache.heard(order.digest, self.key(order, piece)) is not None

    def key(self, order: Order, piece: Piece) -> str:
        """Names all that decides what is heard of a piece, so that a change of one of them asks anew."""
        parts = [
            self._transcriber.model,
            order.language or "",
            order.prompt,
            order.form,
            f"{piece.start:.3f}-{piece.end:.3f}",
        ]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]

    def ask(self, order: Order, piece: Piece) -> Heard:
        """Raises TooLarge, AccessRefused, ProviderError."""
        key = self.key(order, piece)
        heard = self._cache.heard(order.digest, key)
        if heard is None:
            with self._room:
                _go_on(order)
                with self._audio.cut(order.recording, piece.start, piece.end, order.form) as cut:
                    heard = self._patiently(cut, order)
            self._cache.keep(order.digest, key, heard)
        return heard

    def _patiently(self, cut: Path, order: Order) -> Heard:
        def doze(seconds: float) -> None:
            (self._sleep or order.stopped.wait)(seconds)
            _go_on(order)

        failures = throttles = 0
        waited = 0.0
        while True:
            wait = self._gate.wait
            if waited + wait > self._patience:
                raise Throttled(
                    "the transcription service's limit is reached.", wait=wait, hint="Run ingest again later."
                )
            waited += wait
            self._gate.pass_(doze)
            try:
                return self._transcriber.transcribe(cut, language=order.language, prompt=order.prompt)
            except (AccessRefused, Refused):
                raise
            except Throttled as exc:
                throttles += 1
                self._gate.shut(max(1.0, exc.wait) if exc.wait is not None else _THROTTLED * 2 ** (throttles - 1))
            except ProviderError:
                failures += 1
                if failures == ATTEMPTS:
                    raise
                doze(_BACK_OFF * 2 ** (failures - 1))


def _go_on(order: Order) -> None:
    if order.stopped.is_set():
        raise ProviderError("stopped before the recording was heard.")
