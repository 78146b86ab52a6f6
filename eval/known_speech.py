"""A recording of which every word is known: talks of the demo read by synthetic voices, made hard to join."""

from __future__ import annotations

import re
import wave
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eval.voices import RATE, Samples, Voice

TALKS = Path(__file__).parents[1] / "scripts" / "talks" / "guide"
NUMBERS = (
    "The machine cost 43,000 dollars in 2019, and by 2021 it was worth 1,200.",
    "Room 2266 is on the 3rd floor, and the lift takes 45 seconds.",
    "We counted 384 numbers for each of the 12 talks.",
    "Call 5 people at 9 in the morning, and 50 at noon.",
)
REPEATED = (
    "We walked all the way down to the sea and all the way back again.",
    "But all the way down to the sea there is nothing to see but sand.",
    "And all the way back again there is nothing to hear but wind.",
    "So we went all the way down to the sea and never came all the way back again.",
)
_PAUSE, _LONG = 0.6, 5.0
_HUM = 0.03  # above what counts as silence
_TURN = 6  # sentences that a voice speaks before the other one does


@dataclass(frozen=True, slots=True)
class Said:
    """A word of the text; `start` None where the voice does not tell when it begins."""

    text: str
    start: float | None


def sentences() -> Iterator[str]:
    """The talks' sentences, every eighth followed by one with numbers; for ever."""
    number = 0
    while True:
        for path in sorted(TALKS.glob("*.md")):
            text = path.read_text(encoding="utf-8").split("---", 2)[-1]
            for sentence in re.split(r"(?<=[.?!])\s+", " ".join(text.split())):
                yield sentence
                number += 1
                if number % 8 == 0:
                    yield NUMBERS[number // 8 % len(NUMBERS)]


def record(path: Path, voices: Sequence[Voice], *, minutes: float, piece_seconds: float) -> list[Said]:
    """Writes a recording of about so many minutes; what is said in it, and when."""
    said: list[Said] = []
    position = 0  # samples
    spoken = 0
    texts = sentences()
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)

        def write(samples: Samples) -> None:
            nonlocal position
            file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
            position += len(samples)

        write(np.zeros(RATE // 2, np.float32))
        while position < minutes * 60 * RATE:
            at = position / RATE
            humming = _near_a_second_cut(at, piece_seconds, 0.05 * piece_seconds + 12.0)
            repeats = _near_a_second_cut(at, piece_seconds, 8.0)
            sentence = REPEATED[spoken % len(REPEATED)] if repeats else next(texts)
            part = voices[spoken // _TURN % len(voices)].speak(sentence)
            said += [Said(text, None if start is None else at + start) for text, start in part.words]
            spoken += 1
            pause = _LONG if spoken % 25 == 0 and not humming else _PAUSE
            sound = np.concatenate([part.samples, np.zeros(int(pause * RATE), np.float32)])
            write(sound + _hum(len(sound)) if humming else sound)
    return said


def _hum(length: int) -> Samples:
    return (_HUM * np.sin(2 * np.pi * 100 * np.arange(length) / RATE)).astype(np.float32)


def _near_a_second_cut(at: float, piece_seconds: float, reach: float) -> bool:
    """Whether a second lies near one of the second, fourth, sixth … cut."""
    number = round(at / piece_seconds)
    return number > 0 and number % 2 == 0 and abs(at - number * piece_seconds) < reach
