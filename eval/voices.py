"""Two voices that speak known text, at 16 kHz, with the seconds at which words begin where the voice knows them.

Both are synthetic and imitate nobody: hibari-tts (extra dev) and espeak-ng (Debian: apt-get install espeak-ng).
"""

from __future__ import annotations

import ctypes
import os
import re
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

RATE = 16_000
Samples: TypeAlias = NDArray[np.float32]

_AUDIBLE = 0.01
_LOUDNESS = 0.08  # RMS that both voices are brought to


@dataclass(frozen=True, slots=True)
class Spoken:
    """A sentence without silence around it. `words` are those of the text, with the second at which each begins,
    None where the voice does not tell."""

    samples: Samples
    words: tuple[tuple[str, float | None], ...]


class Voice(Protocol):
    name: str

    def speak(self, sentence: str) -> Spoken: ...


class Hibari:
    """Knows when a sentence begins, and no more."""

    name = "hibari-tts"

    def __init__(self) -> None:
        from hibari import Hibari as Model

        self._model = Model(threads=1)

    def speak(self, sentence: str) -> Spoken:
        samples, _ = _trimmed(_resampled(np.asarray(self._model(sentence, seed=0), np.float32), 24_000))
        first, *rest = sentence.split()
        return Spoken(samples, ((first, 0.0), *((word, None) for word in rest)))


class _Id(ctypes.Union):
    _fields_ = (("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8))


class _Event(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", _Id),
    )


_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event))
_SYNCHRONOUS, _UTF8, _WORD = 2, 1, 1


class Espeak:
    """Knows when each word begins. One instance a process: the library keeps its state to itself.

    Raises OSError where it is not installed.
    """

    name = "espeak-ng"

    def __init__(self, voice: str = "en-us") -> None:
        self._library = ctypes.CDLL("libespeak-ng.so.1" if os.name == "posix" else "libespeak-ng")
        self._rate = int(self._library.espeak_Initialize(_SYNCHRONOUS, 0, None, 0))
        if self._rate <= 0 or self._library.espeak_SetVoiceByName(voice.encode()) != 0:
            raise OSError(f"espeak-ng has no voice {voice}")
        self._parts: list[Samples] = []
        self._begun: list[tuple[int, int]] = []  # position in the text, sample
        self._callback: Any = _CALLBACK(self._take)  # kept: the library calls it later
        self._library.espeak_SetSynthCallback(self._callback)

    def speak(self, sentence: str) -> Spoken:
        self._parts, self._begun = [], []
        encoded = sentence.encode()
        self._library.espeak_Synth(encoded, len(encoded) + 1, 0, 1, 0, _UTF8, None, None)
        self._library.espeak_Synchronize()
        samples, cut = _trimmed(_resampled(np.concatenate(self._parts), self._rate))
        words: list[tuple[str, float | None]] = []
        for match in re.finditer(r"\S+", sentence):
            starts = [at for position, at in self._begun if match.start() <= position < match.end()]
            words.append((match[0], max(0.0, starts[0] / self._rate - cut) if starts else None))
        return Spoken(samples, tuple(words))

    def _take(self, sound: Any, count: int, events: Any) -> int:
        if sound and count:
            self._parts.append(np.asarray(np.ctypeslib.as_array(sound, (count,)), np.float32) / np.float32(32768))
        number = 0
        while events[number].type:
            if events[number].type == _WORD:
                self._begun.append((events[number].text_position - 1, events[number].sample))
            number += 1
        return 0


def _resampled(samples: Samples, rate: int) -> Samples:
    """To RATE, through the spectrum: exact for a sound that begins and ends in silence."""
    length = round(len(samples) * RATE / rate)
    spectrum = np.fft.rfft(samples)[: length // 2 + 1]
    return np.asarray(np.fft.irfft(spectrum, length) * (length / len(samples)), np.float32)


def _trimmed(samples: Samples) -> tuple[Samples, float]:
    """Without the silence around it, at the common loudness; and how many seconds went at the front."""
    loud = np.flatnonzero(np.abs(samples) > _AUDIBLE)
    if not len(loud):
        raise ValueError("the voice made no sound")
    first, last = int(loud[0]), int(loud[-1]) + RATE // 20
    cut = samples[first:last]
    louder = cut * np.float32(_LOUDNESS / np.sqrt(np.mean(cut.astype(np.float64) ** 2)))
    return np.tanh(louder).astype(np.float32), first / RATE
