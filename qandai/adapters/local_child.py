"""The child process that serves the local model: started when it is needed, and again after a crash."""

from __future__ import annotations

import atexit
import json
import secrets
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread, Timer
from typing import IO

from qandai.errors import ModelMissing, ProviderError, Unavailable

SERVER = Path(__file__).with_name("local_server.py")
CONTEXT = 2048  # tokens of prompt and reply together
THREADS = 1  # on two busy cores two threads wrote 5 tokens a second, one wrote 30

_LOADING = 60.0  # seconds after which a child that is not ready is given up
_ENDING = 2.0  # seconds between asking it to end and ending it
_SEEN = 0.2  # seconds
_KEPT = 20  # lines of its log


@dataclass(frozen=True, slots=True)
class Served:
    """Where a child listens. The key keeps other users of this machine out."""

    base_url: str
    key: str = field(repr=False)


class Child:
    """Threads share it. `find` gives the model's file; it is asked once. `server` is the program that serves."""

    def __init__(self, find: Callable[[], Path], *, server: Path = SERVER) -> None:
        self._find = find
        self._server = server
        self._lock = Lock()
        self._model: Path | None = None
        self._process: subprocess.Popen[str] | None = None
        self._served: Served | None = None
        self._log: deque[str] = deque(maxlen=_KEPT)
        self._closed = False

    @property
    def pid(self) -> int | None:
        """None where none runs."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def died(self) -> bool:
        """Whether it has ended. One that was killed is seen to end a moment after its connections."""
        process = self._process
        with suppress(subprocess.TimeoutExpired):
            return process is None or process.wait(_SEEN) is not None
        return False

    def served(self) -> Served:
        """Starts it where it does not run: half a second and more. Raises Unavailable where it cannot, ProviderError
        where it ended before it was ready."""
        with self._lock:
            if self._served is not None and self.pid is not None:
                return self._served
            self._end()
            if self._closed:
                raise ProviderError("The local model has been shut down.")
            self._served = self._start()
            return self._served

    def close(self) -> None:
        """Leaves no process. Harmless twice."""
        self._closed = True
        atexit.unregister(self.close)
        if not self._lock.acquire(timeout=0.1):  # it is being started
            if self._process is not None:
                self._process.kill()
            self._lock.acquire()
        try:
            self._end()
        finally:
            self._lock.release()

    def _start(self) -> Served:
        try:
            self._model = self._model or self._find()
        except ModelMissing as exc:
            raise Unavailable(exc.message, hint=exc.hint) from exc
        atexit.register(self.close)
        key = secrets.token_urlsafe(24)
        asked = {"model": str(self._model), "context": CONTEXT, "threads": THREADS, "key": key}
        process = subprocess.Popen(  # noqa: S603  # our own program
            # -P: the folder of the program is this package, whose modules are not to hide others
            [sys.executable, "-P", str(self._server)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,  # Ctrl-C is for us; it ends when its pipe does
        )
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._log.clear()
        Thread(target=self._read_log, args=(process.stderr,), name="local model's log", daemon=True).start()
        too_late = Timer(_LOADING, process.kill)
        too_late.daemon = True
        too_late.start()
        try:
            with suppress(BrokenPipeError):
                process.stdin.write(json.dumps(asked) + "\n")
                process.stdin.flush()
            address = process.stdout.readline().strip()
        finally:
            too_late.cancel()
        if not address.startswith("http://127.0.0.1:"):
            self._end()
            raise ProviderError(f"The local model did not start: {self._last_words()}", hint="Is it a chat model?")
        return Served(f"{address}/v1", key)

    def _end(self) -> None:
        process, self._process, self._served = self._process, None, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(OSError):
            process.stdin.close()
        try:
            process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def _read_log(self, lines: IO[str]) -> None:
        """A pipe that nobody reads would stop the child; only its last lines are kept."""
        with lines:
            while line := lines.readline(1000):
                self._log.append(line.strip())

    def _last_words(self) -> str:
        return " ".join(list(self._log)[-3:])[-300:] or "it said nothing."
