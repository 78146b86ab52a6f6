"""Numbers as they are spoken and as they are written, brought to one token: "a hundred and twenty" is #120.

Tokens come in folded (`text.tokens`), so accents, case and the separators inside digits are gone: "3.5" is 35, and
so is "three point five". Only what speech and its captions really mix is read; what is not understood stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from qandai.text import fold

MARK = "#"
"""Begins every number token, and no other: folded words hold only letters, digits and marks."""


def _counted(words: str, start: int = 0, step: int = 1) -> dict[str, int]:
    """`a/b` are two ways to say one number."""
    return {
        fold(way): start + place * step
        for place, ways in enumerate(words.split())
        for way in ways.replace("/", " ").split()
    }


_ENGLISH = (
    _counted("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen")
    | _counted("seventeen eighteen nineteen", 17)
    | _counted("twenty thirty forty/fourty fifty sixty seventy eighty ninety", 20, 10)
)
_FRENCH = _counted(
    "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize", 2
) | _counted("vingt/vingts trente quarante cinquante soixante septante huitante/octante nonante", 20, 10)
_GERMAN_UNITS = _counted("zwei/zwo drei vier fünf sechs sieben acht neun", 2)
_GERMAN_TENS = _counted("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig", 20, 10)
_GERMAN = (
    _GERMAN_UNITS
    | _GERMAN_TENS
    | _counted("zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn", 10)
)
# "once" is left out: it is English far more often than it is eleven.
_SPANISH = (
    _counted("dos tres cuatro cinco seis siete ocho nueve diez", 2)
    | _counted("doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno/veintiún", 12)
    | _counted("veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve", 22)
    | _counted("treinta cuarenta cincuenta sesenta setenta ochenta noventa", 30, 10)
    | _counted("doscientos/doscientas trescientos/trescientas cuatrocientos/cuatrocientas", 200, 100)
    | _counted("quinientos/quinientas seiscientos/seiscientas setecientos/setecientas", 500, 100)
    | _counted("ochocientos/ochocientas novecientos/novecientas", 800, 100)
)
_GREEK = (
    _counted("δύο τρία/τρεις τέσσερα/τέσσερις πέντε έξι επτά/εφτά οκτώ/οχτώ εννιά/εννέα δέκα έντεκα δώδεκα", 2)
    | _counted(
        "δεκατρία/δεκατρείς δεκατέσσερα δεκαπέντε δεκαέξι δεκαεπτά/δεκαεφτά δεκαοκτώ/δεκαοχτώ δεκαεννιά/δεκαεννέα", 13
    )
    | _counted("είκοσι τριάντα σαράντα πενήντα εξήντα εβδομήντα ογδόντα ενενήντα εκατό/εκατόν", 20, 10)
    | _counted(
        "διακόσια/διακόσιες/διακόσιοι τριακόσια/τριακόσιες/τριακόσιοι τετρακόσια/τετρακόσιες/τετρακόσιοι", 200, 100
    )
    | _counted("πεντακόσια/πεντακόσιες εξακόσια/εξακόσιες επτακόσια/εφτακόσια οκτακόσια/οχτακόσια εννιακόσια", 500, 100)
)
_VALUES = _GREEK | _SPANISH | _GERMAN | _FRENCH | _ENGLISH
_HUNDREDS = {fold(word) for word in "hundred cent cents hundert cien ciento cientos".split()}
_SCALES = {
    fold(word): scale
    for scale, words in (
        (10**3, "thousand mille tausend mil χίλια χίλιες χίλιοι χιλιάδες"),
        (10**6, "million millions millionen millón millones εκατομμύριο εκατομμύρια"),
        (10**9, "billion billions milliard milliards milliarde milliarden δισεκατομμύριο δισεκατομμύρια"),
        (10**12, "trillion trillions"),
    )
    for word in words.split()
}
_ORDINALS = (
    _counted("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth", 1)
    | _counted("fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth", 14)
    | _counted("twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth hundredth", 20, 10)
)
_DECADES = _counted("twenties thirties forties fifties sixties seventies eighties nineties", 20, 10)
_AND = frozenset(("and", "et", "y", "und"))
_POINT = frozenset(("point", "komma", "virgule", "coma", "κομμα"))
_DIGITS = re.compile(r"(\d{1,30})(st|nd|rd|th|s|k)?\Z", re.ASCII)
_GERMAN_COMPOUND = re.compile(
    r"(?:(?P<thousands>[a-z]*?)tausend)?(?:(?P<hundreds>[a-z]*?)hundert)?(?:und)?"
    r"(?:(?P<unit>[a-z]+?)und(?P<tens>[a-z]+)|(?P<rest>[a-z]+))?\Z"
)
_CENTURIES = range(11, 22)


@dataclass(frozen=True, slots=True)
class _Atom:
    """One token of a number. `size` tells what may follow it: 1 unit, 2 below 100, 3 hundreds, 4 anything longer."""

    value: int
    size: int
    suffix: str = ""
    written: bool = False


@lru_cache(maxsize=50_000)
def _atom(token: str) -> _Atom | None:
    if token in _VALUES:
        return _sized(_VALUES[token])
    if token in _ORDINALS:
        return _sized(_ORDINALS[token], "th")
    if token in _DECADES:
        return _sized(_DECADES[token], "s")
    if (digits := _DIGITS.match(token)) is not None:
        value, suffix = int(digits[1]), digits[2] or ""
        if suffix == "k":
            return _Atom(value * 1000, 4, written=True)
        return _Atom(value, 4, "th" if suffix in ("st", "nd", "rd") else suffix, written=True)
    if 7 < len(token) < 60 and (compound := _german(token)) is not None:
        return _Atom(compound, 4)
    return None


def _sized(value: int, suffix: str = "") -> _Atom:
    return _Atom(value, 1 if value < 10 else 2 if value < 100 else 3, suffix)


def _german(token: str) -> int | None:
    """einundzwanzig, zweihundert, zweitausendzwanzig; None if it is not a number."""
    if (match := _GERMAN_COMPOUND.match(token)) is None or not any(match.groups()):
        return None
    ones = _GERMAN | {"ein": 1, "eine": 1, "": 1}
    total = 0
    for name, scale in (("thousands", 1000), ("hundreds", 100), ("unit", 1), ("tens", 1), ("rest", 1)):
        part = match[name]
        if part is None:
            continue
        value: int | None = _GERMAN_TENS.get(part) if name == "tens" else ones.get(part)
        if value is None and name == "thousands":
            value = _german(part)
        if value is None or (part == "" and scale == 1):
            return None
        total += value * scale
    return total


@lru_cache(maxsize=50_000)
def could_begin(token: str) -> bool:
    """Whether a number may start at this token. Cheap: most words end here."""
    return token in _HUNDREDS or token in _SCALES or _atom(token) is not None


def numbers(words: Sequence[str]) -> list[tuple[str, int, int]]:
    """Every number among the words, as one token, with the places of its first and last word."""
    begins = [*map(could_begin, words), True]
    found: list[tuple[str, int, int]] = []
    place = 0
    while (place := begins.index(True, place)) < len(words):
        if words[place] == "cent" and place > 0 and words[place - 1] == "per":
            place += 1
            continue
        number, after = _read(words, place)
        scaled = words[place] in _HUNDREDS or words[place] in _SCALES
        opened = scaled and place > 0 and words[place - 1] == "a"  # a hundred
        found.append((MARK + number, place - opened, after - 1))
        place = after
    return found


def _read(tokens: Sequence[str], place: int) -> tuple[str, int]:
    """The number that starts at `place`, and the place after it."""
    total, current, size = 0, 0, 0  # `size` of the last atom; 0: nothing in `current` yet
    suffix = ""
    start = place
    while place < len(tokens) and not suffix:
        token = tokens[place]
        if token in _HUNDREDS:
            if current >= 100 or (place > start and size == 0):
                break
            current, size = max(current, 1) * 100, 3
        elif token in _SCALES:
            if place > start and size == 0:
                break
            total, current, size = total + max(current, 1) * _SCALES[token], 0, 0
        elif token in _AND and place > start:
            if not _joins(tokens, place, size, total):
                break
        elif token in _POINT and place > start and size:
            decimals, after = _decimals(tokens, place + 1)
            if not decimals:
                break
            current, size, place = int(f"{current}{decimals}"), 4, after - 1
        else:
            atom = _atom(token)
            if atom is None or not (place == start or _fits(current, size, total, atom)):
                break
            century = size == 2 and atom.size == 2 and current in _CENTURIES
            current = current * 100 + atom.value if century else _added(current, size, atom)
            size, suffix = atom.size, atom.suffix
        place += 1
    return f"{total + current}{suffix}", place


def _added(current: int, size: int, atom: _Atom) -> int:
    if size == 1:
        return 80  # quatre-vingt: the one case where a greater number follows a unit
    return current + atom.value if size else atom.value


def _fits(current: int, size: int, total: int, atom: _Atom) -> bool:
    """Whether the atom goes on with the number read so far ("twenty" + "five"), or begins the next one."""
    if atom.written:
        return False
    if size == 0:  # after a thousand
        return total > 0
    if size == 3:
        return atom.size < 3
    if size == 2 and atom.size == 1:  # twenty-five, dix-sept, nineteen ninety | five
        return current % 10 == 0 and (current % 100 > 10 or atom.value > 6) and atom.value > 0
    if size == 2 and atom.size == 2:  # nineteen | ninety, soixante-douze
        return current in _CENTURIES or (current in (60, 80) and atom.value < 20)
    return size == 1 and current == 4 and atom.value == 20


def _joins(tokens: Sequence[str], place: int, size: int, total: int) -> bool:
    """Whether the "and" at `place` stands inside a number: a hundred and five, treinta y cinco, soixante et onze."""
    following = tokens[place + 1] if place + 1 < len(tokens) else ""
    atom = _atom(following)
    if atom is None or atom.written or atom.size > 2:
        return False
    if tokens[place] in ("y", "et"):
        return size == 2 and (atom.size == 1 or following == "onze")
    return size == 3 or (size == 0 and total > 0)


def _decimals(tokens: Sequence[str], place: int) -> tuple[str, int]:
    digits = ""
    while len(digits) < 30 and place < len(tokens) and (atom := _atom(tokens[place])) is not None and not atom.suffix:
        if digits and (atom.size > 1 or atom.written):
            break
        digits += str(atom.value)
        place += 1
    return digits, place
