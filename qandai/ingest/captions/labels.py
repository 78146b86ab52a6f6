"""Who speaks, as captions write it in the text: "Name: ", "[Guest 1]: ", "JLM : ".

A colon alone proves nothing ("Here is the thing: …"), so the whole file decides: a label comes back with other words
behind it, or stands at most cues (Zoom, Meet).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_BRACKETED = re.compile(r"\[([^\[\]]{1,60})\]\s?[:：]\s*")
_NAMED = re.compile(r"([^:：\n]{1,60}?)\s?(?::(?:\s+|\Z)|：\s*)")
_CASELESS_LENGTH = 6  # of a name in a script without capitals
_PARTICLES = frozenset("a al am and da de del der di du e el et la le of the und van von y zu | + &".split())
_LETTERS = re.compile(r"[^\W\d_]")
_MOST_CUES = 0.6


class Label(NamedTuple):
    name: str
    rest: str
    bracketed: bool


def at_start(line: str) -> Label | None:
    """What may be a label at the start of a line, and the line without it."""
    match = _BRACKETED.match(line)
    if match:
        return Label(match[1].strip(), line[match.end() :], True)
    match = _NAMED.match(line)
    if match and _LETTERS.search(match[1]):
        return Label(match[1].strip(), line[match.end() :], False)
    return None


def speakers(cues: Iterable[Sequence[str]]) -> frozenset[str]:
    """The names that are labels in this file. `cues` are the lines of each cue."""
    behind: dict[str, set[str]] = {}
    total = 0
    opening: list[tuple[str, str]] = []
    for lines in cues:
        total += 1
        for number, line in enumerate(lines):
            label = at_start(line)
            if label is None or label.bracketed:
                continue
            behind.setdefault(label.name, set()).add(label.rest)
            if number == 0:
                opening.append((label.name, label.rest))
    if total >= 3 and len(opening) >= _MOST_CUES * total and len(set(opening)) * 2 >= len(opening):
        return frozenset(name for name, _ in opening)
    named = {name: len(rests) for name, rests in behind.items() if is_name(name)}
    found = {name for name, uses in named.items() if uses >= (2 if _solid(name) else 3)}
    if sum(named[name] for name in found) >= 4:  # labels are this file's habit
        found |= {name for name in named if _solid(name)}
    return frozenset(found)


def is_name(text: str) -> bool:
    """Whether it is written like a name: few words, each with a capital or a digit."""
    words = text.split()
    if not 1 <= len(words) <= 5 or len(text) > 40 or any(mark in text for mark in '?!,;"…'):
        return False
    if not any(char.isupper() or char.islower() for char in text):
        return len(text) <= _CASELESS_LENGTH
    proper = [word for word in words if word.casefold() not in _PARTICLES]
    return bool(proper) and all(not word.lstrip("(\"'“«-")[:1].islower() for word in proper)


def _solid(name: str) -> bool:
    return name.isupper() or " " in name or any(char.isdigit() for char in name)
