"""From texts to words: where a text is cut, and when a word was said that nobody timed.

Used wherever words enter (caption files, transcript files, edits), so that all of them agree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

from qandai.model import Word
from qandai.text import UNSPACED

SECONDS_A_WORD = 1.5
"""The longest that a word lasts which nobody measured: without it, the last one before a pause lasts all of it."""

LATEST = 1e6
"""Seconds; no recording is longer, and no time behind it is one."""

CHARS_A_SECOND = 15.0
"""Ordinary speech, for words whose end nobody knows."""

_OPENING = r"(\[{<«‹“‘„‚「『（［｛〈《【〔$€£¥￥"
_DEPENDENT = (  # vowel signs and tone marks of those scripts: never the head of a word
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u1056-\u1059\u17b4-\u17d3\u3099\u309a"
)
# Where a word begins in a script without spaces: at each of its characters, and where another script takes over.
# Opening marks stay with what follows; whatever else is no head stays with what went before.
_HEAD = re.compile(
    rf"[{_OPENING}]*(?:(?![{_DEPENDENT}])[{UNSPACED}]"
    rf"|(?:(?![{UNSPACED}])[^\W_])(?:(?![{UNSPACED}])[\w'’.,:@&/-])*)"
)
_HAS_UNSPACED = re.compile(rf"[{UNSPACED}]")
# Chinese and Japanese put no space between sentences either; Thai, Lao, Khmer and Burmese do.
_IDEOGRAPHIC = "\u3000-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff9f\U00020000-\U0003ffff"
_JOINT = re.compile(rf"[{_IDEOGRAPHIC}]{{2}}")


class Token(NamedTuple):
    """A word before it has a time."""

    text: str
    glued: bool = False
    turn: bool = False


def split(text: str) -> list[Token]:
    """At white space, and in scripts written without spaces at each character. No letter is lost.

    `>>` (also `>>>`) before a word is no word but a change of speaker.
    """
    found: list[Token] = []
    turn = False
    for chunk in text.split():
        if chunk.startswith(">>"):
            chunk = chunk.lstrip(">")
            turn = True
            if not chunk:
                continue
        if chunk.isascii() or not _HAS_UNSPACED.search(chunk):
            found.append(Token(chunk, turn=turn))
        else:
            cuts = [match.start() for match in _HEAD.finditer(chunk)] or [0]
            cuts[0] = 0
            found.extend(
                Token(chunk[cut:following], cut > 0, turn and cut == 0)
                for cut, following in zip(cuts, [*cuts[1:], None], strict=True)
            )
        turn = False
    return found


def joins(before: str, after: str) -> bool:
    """Whether two words stand without a space because their script has none (Chinese, Japanese)."""
    return _JOINT.match(before[-1:] + after[:1]) is not None


def glued(texts: Sequence[str], text: str) -> list[bool]:
    """For each of `texts`, whether it follows the one before without a space, as `text` writes them.

    The first is never glued. Where `text` says something else, the script decides.
    """
    flags: list[bool] = []
    at = 0
    for number, word in enumerate(texts):
        found = text.find(word, at)
        if found < 0:
            return [n > 0 and joins(texts[n - 1], word) for n, word in enumerate(texts)]
        flags.append(number > 0 and found == at)
        at = found + len(word)
    return flags


def spread(texts: Sequence[str], start: float, end: float | None) -> list[tuple[float, float]]:
    """Start and end of each text within `start` to `end` seconds, by character count, to the millisecond.

    No word lasts longer than SECONDS_A_WORD on average; without an `end`, speech of ordinary speed is assumed.
    """
    total = sum(map(len, texts))
    if not total:
        return [(start, start)] * len(texts)
    length = total / CHARS_A_SECOND if end is None else max(0.0, end - start)
    length = min(length, SECONDS_A_WORD * len(texts))
    limit = start + length
    times: list[tuple[float, float]] = []
    passed = 0
    left = start
    rate = length / total
    for text in texts:
        passed += len(text)
        right = round(start + passed * rate, 3)
        if right < left:  # rounding leaves no border
            right = left
        elif right > limit:
            right = limit
        times.append((left, right))
        left = right
    return times


def said(text: str, start: float, end: float | None, *, exact: bool = True, speaker: str | None = None) -> list[Word]:
    """The words of a stretch whose start was measured (`exact`) or not; all later starts are estimates."""
    if (text.isascii() or not _HAS_UNSPACED.search(text)) and ">>" not in text:
        texts = text.split()  # the plain case of `split`, for an archive of a million words
        words = [
            Word(word, left, right, False, False, speaker)
            for word, (left, right) in zip(texts, spread(texts, start, end), strict=True)
        ]
    else:
        tokens = split(text)
        words = [
            Word(token.text, left, right, False, token.turn, speaker, token.glued)
            for token, (left, right) in zip(tokens, spread([t.text for t in tokens], start, end), strict=True)
        ]
    if exact and words:
        words[0] = replace(words[0], exact=True)
    return words


class Entry(NamedTuple):
    """A word as a recogniser lists it; numerals often come without times."""

    token: Token
    start: float | None
    end: float | None
    speaker: str | None = None
    exact: bool = True


def fill(entries: Sequence[Entry], start: float, end: float | None) -> list[Word]:
    """Words of a segment from `start` to `end`: the untimed share the time between their timed neighbours
    (at the borders, of the segment) and are estimates."""
    following_of: list[float | None] = []  # the next known start after each, from the last to the first
    for entry in reversed(entries):
        following_of.append(end)
        end = end if entry.start is None else entry.start
    words: list[Word] = []
    for number, (entry, following) in enumerate(zip(entries, reversed(following_of), strict=True)):
        if len(words) > number:
            continue  # one of a row of untimed words
        if entry.start is not None:
            token, last = entry.token, entry.end
            if last is None:
                last = spread([token.text], entry.start, following)[0][1]
            words.append(Word(token.text, entry.start, last, entry.exact, token.turn, entry.speaker, token.glued))
            continue
        untimed = list(takewhile(lambda e: e.start is None, entries[number:]))
        left = max(words[-1].end, words[-1].start) if words else start
        times = spread([e.token.text for e in untimed], left, following)
        words.extend(
            Word(e.token.text, begins, ends, False, e.token.turn, e.speaker, e.token.glued)
            for e, (begins, ends) in zip(untimed, times, strict=True)
        )
    return words
