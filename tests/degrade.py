"""Makes, from automatic captions whose times are known, the hand-made captions that somebody might have typed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from qandai.model import Transcript, Word, join
from qandai.words import spread

_NUMBERS = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "twenty": "20", "thirty": "30", "fifty": "50", "hundred": "100", "thousand": "1,000",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pair:
    """`truth` holds for each hand-made word the time at which it was said, None if nobody said it."""

    heard: Transcript
    written: Transcript
    truth: tuple[float | None, ...]


def typed(heard: Transcript, *, seed: int, delay: float = 0.4) -> Pair:
    """Cues of seven to fourteen words with capitals and points, digits for numbers, other spellings for 4 % of the
    words, 2 % left out, 1 % added; each cue a little late or early."""
    dice = random.Random(seed)
    words: list[Word] = []
    segments: list[int] = []
    truth: list[float | None] = []
    at = 0
    while at < len(heard.words):
        size = min(dice.randint(7, 14), len(heard.words) - at)
        cue = heard.words[at : at + size]
        texts, said = _typed(cue, dice)
        if texts:
            start = max(0.0, cue[0].start + delay + dice.uniform(-0.3, 0.3))
            end = max(start + 0.5, cue[-1].end + delay)
            segments.append(len(words))
            words += [Word(text, a, b, False) for text, (a, b) in zip(texts, spread(texts, start, end), strict=True)]
            truth.extend(said)
        at += size
    return Pair(heard, Transcript(heard.video, tuple(words), segments=tuple(segments)), tuple(truth))


def _typed(cue: Sequence[Word], dice: random.Random) -> tuple[list[str], list[float | None]]:
    texts: list[str] = []
    said: list[float | None] = []
    for word in cue:
        chance = dice.random()
        if chance < 0.02:
            continue
        text = _NUMBERS.get(word.text.lower(), word.text)
        if chance < 0.06:
            text = text[:-1] + dice.choice("xzq") if len(text) > 2 else text + "h"
        texts.append(text)
        said.append(word.start)
        if chance > 0.99:
            texts.append("really")
            said.append(None)
    if texts:
        texts[0] = texts[0][:1].upper() + texts[0][1:]
        texts[-1] += dice.choice(",.?")
    return texts, said


def kept(pair: Pair, merged: Transcript, *, within: float = 0.05) -> float:
    """Share of the hand-made words, those that were said, that stand in the merged text within so many seconds."""
    times: dict[str, list[float]] = {}
    for word in merged.words:
        times.setdefault(word.text, []).append(word.start)
    wanted = [(word.text, time) for word, time in zip(pair.written.words, pair.truth, strict=True) if time is not None]
    right = sum(any(abs(found - time) <= within for found in times.get(text, [])) for text, time in wanted)
    return right / len(wanted)


def text(transcript: Transcript) -> str:
    return join(transcript.words)
