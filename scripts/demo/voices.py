"""The open voice that speaks English. It is synthetic and imitates nobody."""

from __future__ import annotations

from importlib.metadata import version
from typing import Protocol

import numpy as np

from scripts.demo.sound import Samples

# Spelled one way, said another: phonemes in the voice's own alphabet.
_SAID = {"Qubes": "kjˈubz", "YAML": "jˈæməl", "Groq": "ɡɹˈɑk", "hibari": "hɪbˈɑɹi"}


class Voice(Protocol):
    """Speaks one sentence; the same sentence always gives the same samples."""

    name: str

    def speak(self, sentence: str) -> Samples: ...


class Heart:
    """hibari-tts, the English voice that its package carries (Apache-2.0)."""

    def __init__(self) -> None:
        from hibari import Hibari

        self.name = f"hibari-tts {version('hibari-tts')} (heart)"
        self._speak = Hibari(threads=1)

    def speak(self, sentence: str) -> Samples:
        for word, phonemes in _SAID.items():
            sentence = sentence.replace(word, f"[{word}](/{phonemes}/)")
        return np.asarray(self._speak(sentence, speed=0.92, seed=0), np.float32)
