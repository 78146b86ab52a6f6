"""The second of every word of a spoken sentence: forced alignment, or an estimate that says so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np

from scripts.demo.sound import RATE, Samples

_ALIGN_RATE = 16_000
_PAD = 0.15  # the aligner wants silence at both ends
# Words that the aligner's dictionary does not spell as they are said.
_TOKENS = {
    "bm25": "b m twenty five",
    "q&ai": "q and a i",
    "mp3": "m p three",
    "mrr": "m r r",
    "p95": "p ninety five",
    "auc": "a u c",
    "mit": "m i t",
}
_PHONES = {
    "json": "JH EY S AH N",
    "yaml": "Y AE M AH L",
    "groq": "G R AA K",
    "hibari": "HH IH B AA R IY",
    "flac": "F L AE K",
    "groq's": "G R AA K S",
    "chroma": "K R OW M AH",
    "qubes": "K Y UW B Z",
    "openai": "OW P AH N EY AY",
    "cosine": "K OW S AY N",
    "mishearings": "M IH S HH IH R IH NG Z",
    "aligner": "AH L AY N ER",
    "ellipsis": "IH L IH P S IH S",
    "plainest": "P L EY N AH S T",
    "hyphens": "HH AY F AH N Z",
    "recogniser": "R EH K AH G N AY Z ER",
    "untranscribed": "AH N T R AE N S K R AY B D",
    "encoder": "EH N K OW D ER",
    "extractive": "IH K S T R AE K T IH V",
    "interviewer's": "IH N T ER V Y UW ER Z",
}
_EDGE = re.compile(r"^[^\w]+|[^\w]+$")


@dataclass(frozen=True, slots=True)
class TimedWord:
    """A word as it is shown; seconds count from the sentence's first sample."""

    text: str
    start: float
    end: float
    exact: bool


def tokens_of(word: str) -> list[str]:
    """What is said for a shown word: "BM25," → b, m, twenty, five."""
    plain = _EDGE.sub("", word.replace("’", "'")).lower()
    return _TOKENS.get(plain, plain.replace("-", " ").replace("/", " ")).split()


def estimate(words: Sequence[str], start: float, end: float) -> list[TimedWord]:
    """Words spread over the sentence by their length; only the first one's start is known."""
    sizes = np.cumsum([0.0, *(len(word) + 1.0 for word in words)])
    edges = start + (end - start) * sizes / sizes[-1]
    return [TimedWord(word, float(edges[i]), float(edges[i + 1]), exact=i == 0) for i, word in enumerate(words)]


class Aligner:
    """pocketsphinx, told what was said. English only."""

    def __init__(self) -> None:
        from pocketsphinx import Decoder

        self.name = f"pocketsphinx {version('pocketsphinx')}"
        self._decoder = Decoder(samprate=_ALIGN_RATE, lm=None, loglevel="FATAL")
        for word, phones in _PHONES.items():
            if self._decoder.lookup_word(word) is None:
                self._decoder.add_word(word, phones, True)

    def unknown(self, words: Sequence[str]) -> list[str]:
        """Spoken tokens without a pronunciation: they belong into the tables above."""
        return [token for word in words for token in tokens_of(word) if self._decoder.lookup_word(token) is None]

    def align(self, words: Sequence[str], samples: Samples, start: float, end: float) -> list[TimedWord] | None:
        """Times of the words in a sentence that sounds from `start` to `end`; None where it cannot be aligned."""
        tokens = [tokens_of(word) for word in words]
        if not all(tokens) or self.unknown(words):
            return None
        found = self._tokens_in(" ".join(token for group in tokens for token in group), samples)
        if len(found) != sum(len(group) for group in tokens):
            return None
        firsts = np.cumsum([0, *(len(group) for group in tokens)]).tolist()
        inner = [min(max(found[first][0], start), end) for first in firsts[1:-1]]
        starts = [start, *inner, end]
        ends = [*(found[first - 1][1] for first in firsts[1:-1]), end]
        return [
            TimedWord(word, starts[i], min(max(ends[i], starts[i]), starts[i + 1]), exact=True)
            for i, word in enumerate(words)
        ]

    def _tokens_in(self, text: str, samples: Samples) -> list[tuple[float, float]]:
        """Start and end of each token of `text`, in order; empty where the alignment failed."""
        pad = np.zeros(int(_PAD * _ALIGN_RATE), np.float32)
        padded = np.concatenate([pad, _resample(samples), pad])
        decoder = self._decoder
        try:
            decoder.set_align_text(text)
            decoder.start_utt()
            decoder.process_raw((np.clip(padded, -1, 1) * 32767).astype("<i2").tobytes(), full_utt=True)
            decoder.end_utt()
        except RuntimeError:
            return []
        segments = [seg for seg in decoder.seg() or () if not seg.word.startswith(("<", "["))]
        return [(seg.start_frame / 100 - _PAD, (seg.end_frame + 1) / 100 - _PAD) for seg in segments]


def _resample(samples: Samples) -> Samples:
    """24 kHz to 16 kHz through the spectrum: exact for a sound that begins and ends in silence."""
    even = np.concatenate([samples, np.zeros(-len(samples) % 3, np.float32)])
    length = len(even) * _ALIGN_RATE // RATE
    return np.asarray(np.fft.irfft(np.fft.rfft(even)[: length // 2 + 1], length) * (length / len(even)), np.float32)
