"""The times and marks of a passage's words as one short string; their texts stand in the passage's document.

    times|runs of exact and estimated words|turns|glued words|speakers

Times are milliseconds: per word the silence since the word before (the first: since 0) and its length. Numbers are
written in base 32 with a continuation bit, so the usual word takes three or four characters. Empty sections at the end
are left out. Everything is lossless, but times are rounded to the millisecond.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby

from qandai.model import Word

_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_VALUES = {digit: value for value, digit in enumerate(_DIGITS)}


def encode(words: Sequence[Word]) -> str:
    """Raises ValueError for a word that holds a space: the document could not be split into words again."""
    if any(" " in word.text for word in words):
        raise ValueError("a word holds a space")
    sections = [
        write_numbers(_times(words)),
        write_numbers(_exact_runs(words)),
        write_numbers(_deltas([at for at, word in enumerate(words) if word.turn])),
        write_numbers(_glued(words)),
        _speakers(words),
    ]
    return "|".join(sections).rstrip("|")


def decode(encoded: str, document: str) -> tuple[Word, ...]:
    """The words again. Raises ValueError where the string does not fit the document."""
    times, exact, turns, glued, speakers = (encoded.split("|", 4) + [""] * 4)[:5]
    numbers = tuple(read_numbers(times))
    if len(numbers) % 2:
        raise ValueError("the word times are cut short")
    count = len(numbers) // 2
    glued_numbers = tuple(read_numbers(glued))
    glued_at = tuple(accumulate(glued_numbers[::2]))
    texts = _split(document, count, dict(zip(glued_at, glued_numbers[1::2], strict=True)))
    is_exact = _flags(read_numbers(exact), count)
    turned, joined = set(accumulate(read_numbers(turns))), set(glued_at)
    names = _names(speakers, count)
    words: list[Word] = []
    clock = 0
    for at, text in enumerate(texts):
        start = clock + _unsigned_to_signed(numbers[2 * at])
        clock = start + numbers[2 * at + 1]
        words.append(Word(text, start / 1000, clock / 1000, is_exact[at], at in turned, names[at], glued=at in joined))
    return tuple(words)


def write_numbers(numbers: Iterable[int]) -> str:
    digits: list[str] = []
    for number in numbers:
        rest = number
        while rest > 31:
            digits.append(_DIGITS[32 + (rest & 31)])
            rest >>= 5
        digits.append(_DIGITS[rest])
    return "".join(digits)


def read_numbers(text: str) -> Iterator[int]:
    """Raises ValueError for a foreign character or a number that is cut short."""
    number = shift = 0
    for char in text:
        value = _VALUES.get(char)
        if value is None or shift > 50:
            raise ValueError(f"not a number: {text[:20]!r}")
        number |= (value & 31) << shift
        shift += 5
        if value < 32:
            yield number
            number = shift = 0
    if shift:
        raise ValueError("a number is cut short")


def _times(words: Sequence[Word]) -> Iterator[int]:
    clock = 0
    for word in words:
        start, end = round(word.start * 1000), round(word.end * 1000)
        yield _signed_to_unsigned(start - clock)
        yield max(0, end - start)
        clock = max(start, end)


def _signed_to_unsigned(number: int) -> int:
    """Words may overlap: 0, -1, 1, -2 … become 0, 1, 2, 3 …"""
    return 2 * number if number >= 0 else -2 * number - 1


def _unsigned_to_signed(number: int) -> int:
    return number // 2 if number % 2 == 0 else -(number + 1) // 2


def _deltas(ascending: Sequence[int]) -> Iterator[int]:
    return (at - before for before, at in zip((0, *ascending), ascending, strict=False))


def _exact_runs(words: Sequence[Word]) -> list[int]:
    """Lengths of runs, exact first; empty where every time is exact."""
    if all(word.exact for word in words):
        return []
    runs = [] if words[0].exact else [0]
    return runs + [len(list(run)) for _, run in groupby(words, key=lambda word: word.exact)]


def _flags(runs: Iterator[int], count: int) -> list[bool]:
    flags: list[bool] = []
    for number, length in enumerate(runs):
        if length > count - len(flags):
            raise ValueError("more marks than words")
        flags.extend([number % 2 == 0] * length)
    if flags and len(flags) < count:
        raise ValueError("fewer marks than words")
    return flags or [True] * count


def _glued(words: Sequence[Word]) -> Iterator[int]:
    """For each glued word its position, as a delta, and the length of the word it is glued to."""
    at_before = 0
    for at, word in enumerate(words):
        if word.glued:
            yield at - at_before
            yield len(words[at - 1].text) if at else 0
            at_before = at


def _split(document: str, count: int, glued: Mapping[int, int]) -> list[str]:
    """The texts of `count` words; `glued` gives the length of the word before each glued word."""
    chunks = document.split(" ")
    if len(chunks) + sum(0 < at < count for at in glued) != count:
        raise ValueError("the word times belong to another text")
    following = iter(chunks)
    texts: list[str] = []
    for at in range(count):
        if at and at in glued:
            whole = texts.pop()
            texts.extend((whole[: glued[at]], whole[glued[at] :]))
        else:
            texts.append(next(following))
    return texts


def _speakers(words: Sequence[Word]) -> str:
    if all(word.speaker is None for word in words):
        return ""
    runs = [[name, len(list(run))] for name, run in groupby(word.speaker for word in words)]
    return json.dumps(runs, ensure_ascii=False, separators=(",", ":"))


def _names(section: str, count: int) -> list[str | None]:
    if not section:
        return [None] * count
    names: list[str | None] = []
    for name, length in json.loads(section):
        names.extend([name] * length)
        if len(names) > count:
            break
    if len(names) != count:
        raise ValueError("the speakers belong to another text")
    return names
