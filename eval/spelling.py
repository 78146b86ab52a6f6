"""Numbers spelled out, made independently of the aligner's own reading of them. English."""

from __future__ import annotations

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


def spell(number: int) -> str:
    """0 to 999,999 in words, as they are said: "a" is left to the speaker, "and" is not said."""
    if number < 20:
        return _UNITS[number]
    if number < 100:
        tens, unit = divmod(number, 10)
        return _TENS[tens - 2] + (f" {_UNITS[unit]}" if unit else "")
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return f"{_UNITS[hundreds]} hundred" + (f" {spell(rest)}" if rest else "")
    thousands, rest = divmod(number, 1000)
    return f"{spell(thousands)} thousand" + (f" {spell(rest)}" if rest else "")


def spell_year(year: int) -> str:
    """1999 is nineteen ninety nine, 2005 two thousand five, 2020 twenty twenty."""
    century, rest = divmod(year, 100)
    if rest < 10:
        return spell(year) if year >= 2000 else f"{spell(century)} hundred" + (f" {spell(rest)}" if rest else "")
    return f"{spell(century)} {spell(rest)}"


_ROUND = (*range(101), *range(200, 1000, 100), *range(1000, 21000, 1000), 50_000, 100_000, 200_000, 500_000)
DIGITS = {spell(number): f"{number:,}" for number in _ROUND} | {
    spell_year(year): str(year) for year in range(1900, 2051)
}
"""What is said → how it is written."""
SPELLED = (
    {str(number): spell(number) for number in (*range(1000), *_ROUND)}
    | {f"{number:,}": spell(number) for number in _ROUND}
    | {str(year): spell_year(year) for year in range(1900, 2051)}
)
"""What is written → how it is said."""
