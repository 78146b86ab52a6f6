"""What models really send, made ready to be read for its meaning. Whatever they send, this is quick and bounded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from qandai.errors import Unusable

MOST_CHARS = 20_000
"""Of a reply that are read; no prompt asks for a fifth of it."""

_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_THINKING = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:excerpts?|question|quote|passage|answer|final|output)>", re.IGNORECASE)
_FENCE = re.compile(r"\s{0,9}(?:```|~~~)[\w-]{0,20}\s{0,9}\Z")
_DECORATION = re.compile(r"[\s>*_#`~•·+–—-]+")
_NUMBER = re.compile(r"\D{0,20}(\d{1,6})\D{0,3}\Z")
_DECODER = json.JSONDecoder(strict=False)  # line breaks within strings are sent, too
_TRIES = 32  # braces at which an object may begin


def visible(reply: str) -> str:
    """What was meant to be read: without a thinking part that was let through, and without tags copied from a prompt.

    Raises Unusable where nothing is left, or where it never stopped thinking.
    """
    begin = max((thought.end() for thought in _THOUGHT.finditer(reply)), default=0)
    text = reply[begin : begin + MOST_CHARS]
    if _THINKING.search(text):
        raise Unusable("It thought, and never came to an answer.")
    text = _TAG.sub(" ", text).strip()
    if not text:
        raise Unusable("It sent nothing that can be read.")
    return text


def lines(text: str) -> list[str]:
    """Its lines without code fences, quote marks, bullets and emphasis at their ends; empty ones keep their place."""
    return [undecorated(line) for line in text.splitlines() if not _FENCE.match(line)]


def undecorated(line: str) -> str:
    found = _DECORATION.match(line)
    return (line[found.end() :] if found else line).rstrip(" \t*_`~")


def objects(text: str) -> Iterator[Mapping[str, object]]:
    """The JSON objects in a text, wherever they stand, and those directly within them; keys in lower case."""
    at = text.find("{")
    for _ in range(_TRIES):
        if at < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):  # broken, or nested to bring us down
            at = text.find("{", at + 1)
            continue
        for each in (value, *_within(value)):
            yield {key.strip().lower(): item for key, item in each.items()}
        at = text.find("{", end)


def _within(value: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    for item in value.values():
        yield from (each for each in (item if isinstance(item, list) else [item]) if isinstance(each, dict))


def whole_number(value: object) -> int | None:
    """2, 2.0, "2", "[2]" and "excerpt 2" alike; None for what is no number from 0."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if value >= 0 else None
    if isinstance(value, float):
        return int(value) if value.is_integer() and value >= 0 else None
    found = _NUMBER.match(value) if isinstance(value, str) else None
    return int(found[1]) if found and "-" not in value[: found.start(1)] else None  # type: ignore[index]
