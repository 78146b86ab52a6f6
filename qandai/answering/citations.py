"""Numbers of excerpts as models write them: [1], [1, 2], [1][3], [1-3], [n1], [Excerpt 2], 【1†source】, (1)."""

from __future__ import annotations

import re
from collections.abc import Collection

_NAMED = r"(?:excerpts?|sources?|n)"
_ONE = rf"(?:{_NAMED}\s?)?[#^]?\d{{1,3}}"
_LIST = rf"{_ONE}(?:†[^\]】\s]{{0,20}})?(?:\s?(?:,|;|&|-|–|—|and|to)\s?{_ONE}){{0,20}}"
_SQUARE = rf"[\[【]\s?{_LIST}\s?(?:[\]】]|(?=[\s.,;:!?]|\Z))"
_ROUND = rf"\(\s?{_LIST}\s?\)(?=[^\w(]*\Z)|\(\s?{_NAMED}\s?\d{{1,3}}\s?\)"
_PHRASE = r"(?:\b(?:as|in|see|from|per)\s)?\bexcerpts?\s?"
CITATION = re.compile(rf"\s?(?:{_PHRASE})?(?:{_SQUARE})|\s?(?:{_ROUND})", re.IGNORECASE)
OPEN = re.compile(rf"[\[【(](?:{_NAMED}|[\s\d,;&#^–—-]|and|to)*\Z", re.IGNORECASE)
"""The end of what may still become a citation."""

_LINK = re.compile(r"\[([^\[\]]{1,200})\]\([^()\s]{0,500}\)")
_RANGE = re.compile(r"(\d{1,3})(?:\s?(?:-|–|—|to)\s?(?:[a-z]+\s?)?(\d{1,3}))?", re.IGNORECASE)
_DAGGER = re.compile(r"†[^\]】\s]*")
_DIGITS = re.compile(r"[#^\s\d,-]+\Z")
_EMPHASIS = re.compile(r"[*`]+|~~|__|(?<!\w)_|_(?!\w)")
_LEADING = "-–—•·‣#>| "
_HANGING = re.compile(r"(?:according to|as|in|from|per|see)\s?,\s?", re.IGNORECASE)
_ENDED_TWICE = re.compile(r"(?<!\.)([.!?…。！？])(?:\.|。)\Z")
_CITED_LAST = re.compile(r"[\s.,;:!?…*_`\"'’”»)]*\Z")


def bare(word: str) -> str:
    """Without citations and marks of emphasis."""
    return CITATION.sub("", _EMPHASIS.sub("", _LINK.sub(_unlinked, word)))


def split(typed: str, offered: Collection[int]) -> tuple[str, tuple[int, ...], bool]:
    """The sentence as it is read, the excerpts of those offered that it names, and whether it ends with a name of one.
    Citations to nothing are gone."""
    linked = _EMPHASIS.sub("", _LINK.sub(_unlinked, typed)).lstrip(_LEADING)
    found = list(CITATION.finditer(linked))
    if found and found[0].start() == 0 and linked[found[0].end() :].strip()[:1].islower():
        return "", (), False  # "[2] says that": the citation was a word of the sentence
    numbers = dict.fromkeys(number for match in found for number in _numbers(match.group(), offered))
    last = bool(found) and _CITED_LAST.match(linked, found[-1].end()) is not None
    text = CITATION.sub("", linked).strip()
    if found and (hanging := _HANGING.match(text)):
        text = text[hanging.end() :]
        text = text[:1].upper() + text[1:]
    return _ENDED_TWICE.sub(r"\1", text), tuple(numbers), last


def _numbers(citation: str, offered: Collection[int]) -> list[int]:
    """Of a range whose end was not offered, nothing between is meant."""
    found: list[int] = []
    for match in _RANGE.finditer(_DAGGER.sub("", citation)):
        first, last = int(match[1]), int(match[2] or match[1])
        found += range(first, last + 1) if {first, last} <= set(offered) else (first, last)
    return [number for number in found if number in offered]


def _unlinked(link: re.Match[str]) -> str:
    return f"[{link[1]}]" if _DIGITS.match(link[1]) else link[1]
