"""Cues whose lines have one time together: SRT, plain VTT, hand-made json3, lists of segments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from qandai.ingest.captions import clean, labels
from qandai.ingest.captions.draft import Segment
from qandai.model import Word
from qandai.words import Token, joins, split, spread

_HYPHEN = re.compile(r"[-‐]\s+(?=\S)")
_DASH = re.compile(r"[–—]\s+(?=\S)")
_TIGHT_HYPHEN = re.compile(r"(?:(?<=\s)|^)[-‐](?=[A-Z\u00c0-\u00de\u0386-\u03ab\u0400-\u042f¿¡])")


class Cue(NamedTuple):
    """`start` None: the file's time could not be read. `end` None: the file gives none. `speaker` None: not told."""

    start: float | None
    end: float | None
    text: str
    speaker: str | None = None
    exact: bool = True


class _Part(NamedTuple):
    tokens: list[Token]
    speaker: str | None


def segments(cues: Sequence[Cue], *, tagged: bool = False) -> tuple[list[Segment], Counter[str]]:
    """In order of time, each cue's words spread over it: its first has the cue's own time, the rest are estimates.

    `tagged`: square brackets hold only noises (automatic captions).
    """
    ordered = _by_start(cues)
    lines = [[line.strip() for line in clean.plain(cue.text).splitlines()] for cue in ordered]
    reader = _Reader(labels.speakers(lines), tagged)
    found: list[Segment] = []
    repairs: Counter[str] = Counter()
    passed = 0.0
    for cue, its_lines, following in zip(ordered, lines, _following(ordered), strict=True):
        start, exact = (passed, False) if cue.start is None else (max(0.0, cue.start), cue.exact)
        end = cue.end
        if cue.start is None:
            repairs["unreadable times"] += 1
        elif end is not None and end < start:
            repairs["ends before starts"] += 1
            end = None
        if following is not None and following >= start:
            end = following if end is None else min(end, following)
        words = _words(reader.parts(its_lines, cue.speaker), start, end, exact)
        if words:
            passed = words[-1].end
            found.append(Segment(words))
    return found, repairs


def _following(cues: Sequence[Cue]) -> list[float | None]:
    """For each cue the next one's start."""
    known: float | None = None
    found: list[float | None] = []
    for cue in reversed(cues):
        found.append(known)
        known = known if cue.start is None else cue.start
    return found[::-1]


def _by_start(cues: Sequence[Cue]) -> list[Cue]:
    """Stable; a cue without a time stays behind the one before it."""
    keys: list[float] = []
    for cue in cues:
        keys.append(cue.start if cue.start is not None else keys[-1] if keys else 0.0)
    return [cues[number] for number in sorted(range(len(cues)), key=keys.__getitem__)]


class _Reader:
    """Reads lines into words while it remembers who speaks. Lives for one file."""

    def __init__(self, names: frozenset[str], tagged: bool) -> None:
        self._names = names
        self._tagged = tagged
        self._speaker: str | None = None
        self._turn = False  # the next word is somebody else's
        self._begun = False

    def parts(self, lines: Sequence[str], voice: str | None) -> list[_Part]:
        """The words of a cue, a part for each line. `voice` is who the cue's own markup says it is."""
        if voice is not None:
            self._speaks(voice)
        dashes = sum(_DASH.match(line) is not None for line in lines) >= 2
        tight = sum(len(_TIGHT_HYPHEN.findall(line)) for line in lines) >= 2
        found: list[_Part] = []
        for number, line in enumerate(lines):
            text = self._without_marks(line, dashes, tight, is_first=number == 0)
            text = clean.said(text, tagged=self._tagged)
            tokens = split(text)
            if tokens:
                if self._turn:
                    tokens[0] = tokens[0]._replace(turn=True)
                if found and joins(found[-1].tokens[-1].text, tokens[0].text):
                    tokens[0] = tokens[0]._replace(glued=True)
                found.append(_Part(tokens, self._speaker))
                self._begun, self._turn = True, False
            if clean.ends_on_turn(text):
                self._turn = True
        return found

    def _without_marks(self, line: str, dashes: bool, tight: bool, *, is_first: bool) -> str:
        """The line without its turn mark and speaker label, both remembered."""
        text = _TIGHT_HYPHEN.sub(">> ", line) if tight else line
        if text[:1] in ("-", "‐") and text[1:2].isalpha() and not (is_first and text[1].islower()):
            text = f">> {text[1:]}"
        marked = text.startswith(">>")
        text = text.lstrip("> ") if marked else text
        dash = _DASH.match(text) if dashes else _HYPHEN.match(text)
        aside = dash and (text.endswith((" -", " –", " —")) or text[dash.end()].islower())
        if dash and not aside:
            marked, text = True, text[dash.end() :]
        label = labels.at_start(text)
        if label and (label.bracketed or label.name in self._names or (marked and labels.is_name(label.name))):
            self._speaks(label.name)
            text = label.rest
        if marked:
            self._turn = True
        return text

    def _speaks(self, name: str) -> None:
        if name != self._speaker and (self._begun or self._speaker is not None):
            self._turn = True
        self._speaker = name


def _words(parts: Sequence[_Part], start: float, end: float | None, exact: bool) -> list[Word]:
    flat = [(token, part.speaker) for part in parts for token in part.tokens]
    times = spread([token.text for token, _ in flat], start, end)
    return [
        Word(token.text, left, right, exact and number == 0, token.turn, speaker, token.glued)
        for number, ((token, speaker), (left, right)) in enumerate(zip(flat, times, strict=True))
    ]
