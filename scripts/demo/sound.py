"""Sound as mono float32 samples at RATE: trimming, joining, levels, and the way to an encoded file and back."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Samples: TypeAlias = NDArray[np.float32]

RATE = 24_000
SUFFIX = ".m4a"
_HOP = 120  # 5 ms
_AUDIBLE_DB = -50.0
_PREROLL, _RELEASE = 0.010, 0.060
_GAIN, _KNEE = 1.8, 0.6


@dataclass(frozen=True, slots=True)
class Utterance:
    """One spoken sentence without the silence around it; its sound lasts from `onset` to `last`, in seconds."""

    samples: Samples
    onset: float
    last: float


def level_db(samples: Samples, hop: int = _HOP) -> NDArray[np.float64]:
    """RMS level in dBFS of each hop of samples; the last, broken hop is left out."""
    frames = samples[: len(samples) // hop * hop].reshape(-1, hop).astype(np.float64)
    return np.asarray(10.0 * np.log10((frames**2).mean(axis=1) + 1e-18))


def trim(samples: Samples) -> Utterance:
    """Cut to the audible part, with a short pre-roll and release that fade, so that a join neither clicks nor hums."""
    loud = np.flatnonzero(level_db(samples) > _AUDIBLE_DB)
    if not len(loud):
        raise ValueError("the voice made no sound")
    before, after = int(_PREROLL * RATE), int(_RELEASE * RATE)
    first, last = int(loud[0]) * _HOP, int(loud[-1] + 1) * _HOP
    start, stop = max(0, first - before), min(len(samples), last + after)
    cut = samples[start:stop].copy()
    if first > start:
        cut[: first - start] *= np.linspace(0.0, 1.0, first - start, dtype=np.float32)
    if stop > last:
        cut[last - start :] *= np.linspace(1.0, 0.0, stop - last, dtype=np.float32)
    return Utterance(cut, onset=(first - start) / RATE, last=(last - start) / RATE)


def louder(samples: Samples) -> Samples:
    """Synthetic speech is quiet and peaky: a fixed gain, with everything above the knee bent towards full scale."""
    gained = samples * np.float32(_GAIN)
    size = np.abs(gained)
    bent = _KNEE + (1 - _KNEE) * np.tanh((size - _KNEE) / (1 - _KNEE))
    return np.where(size > _KNEE, np.sign(gained) * bent, gained).astype(np.float32)


def join(utterances: Sequence[Utterance], pauses: Sequence[float], tail: float) -> tuple[Samples, list[float]]:
    """One recording, and the second of each utterance's first sound. `pauses[i]` is the silence before utterance i."""
    pieces: list[Samples] = []
    starts: list[float] = []
    position = 0
    for utterance, pause in zip(utterances, pauses, strict=True):
        silence = round(pause * RATE)
        starts.append((position + silence) / RATE + utterance.onset)
        pieces += [np.zeros(silence, np.float32), utterance.samples]
        position += silence + len(utterance.samples)
    pieces.append(np.zeros(round(tail * RATE), np.float32))
    return np.concatenate(pieces), starts


def encode(samples: Samples, path: Path) -> None:
    """Mono AAC in m4a: after a seek, Chromium's sound is at the asked second to the millisecond and Safari plays it.
    (mp3 with its index header was up to 0.09 s off after a seek, without it 0.03 s.)"""
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = np.clip(samples, -1, 1).astype("<f4").tobytes()
    command = ["ffmpeg", "-v", "error", "-y", "-f", "f32le", "-ar", str(RATE), "-ac", "1", "-i", "-"]
    command += ["-c:a", "aac", "-b:a", "32k", "-map_metadata", "-1", "-bitexact", "-movflags", "+faststart", str(path)]
    subprocess.run(command, input=raw, check=True)


def decode(path: Path, rate: int = RATE) -> Samples:
    """What a player would sound, as mono samples at `rate`."""
    command = ["ffmpeg", "-v", "error", "-i", str(path), "-ac", "1", "-ar", str(rate), "-f", "f32le", "-"]
    raw = subprocess.run(command, check=True, capture_output=True).stdout
    return np.frombuffer(raw, "<f4").astype(np.float32)


def content_id(path: Path) -> str:
    """A recording's id is a hash of its content, so renaming the file changes nothing."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def onset_errors(samples: Samples, starts: Sequence[float], reach: float = 0.25) -> list[float]:
    """Seconds by which the first sound around each start comes late (+) or early (-), judged on any recording.

    Knows nothing of how the recording was joined: a sound is a 2.5 ms stretch whose peak rises above -38 dBFS and
    four times the loudest moment of the pause before it.
    """
    hop = RATE // 400
    peaks = np.abs(samples[: len(samples) // hop * hop]).reshape(-1, hop).max(axis=1)
    errors: list[float] = []
    for start in starts:
        middle, width = round(start * RATE / hop), round(reach * RATE / hop)
        around = peaks[max(0, middle - width) : middle + width]
        pause = peaks[max(0, middle - width) : max(1, middle - width // 4)]
        found = int(np.argmax(around > max(10 ** (-38 / 20), 4 * float(pause.max()))))
        errors.append((max(0, middle - width) + found) * hop / RATE - start)
    return errors
