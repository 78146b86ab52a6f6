"""How long each step of an answer took."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

STEPS = ("expand", "embed", "retrieve", "select", "generate", "align")


class Stopwatch:
    """Milliseconds per step, under the names of the API's `timings_ms`."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = clock()
        self._steps = dict.fromkeys(STEPS, 0.0)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        began = self._clock()
        try:
            yield
        finally:
            self._steps[name] += (self._clock() - began) * 1000

    def read(self) -> dict[str, float]:
        return {**self._steps, "total": (self._clock() - self._began) * 1000}
