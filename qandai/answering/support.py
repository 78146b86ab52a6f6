"""Whether what a model wrote was told in the excerpts that it names.

Words decide, because no model is asked whether it was honest. So an answer has to be in the recordings' language, and
what turns their words round is not noticed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from qandai.alignment.numbers import numbers
from qandai.answering.function_words import function_words, self_words
from qandai.answering.refusals import base, is_about_telling
from qandai.model import Excerpt, Person
from qandai.text import UNSPACED, tokens

SUPPORT = 0.5
"""Share of the words that tell something which the excerpts named must hold.

Over the demo's talks, 40 sentences that paraphrase an excerpt and 30 that invent something on its subject, all written
for this by hand, and the 40 held against 820 excerpts of other talks: .4 keeps 39, 2 and 33 of them; .5 keeps 38, 2
and 14; .6 keeps 35, 0 and 0. Whole words instead of their beginnings keep 37, 0 and 2 at .5. What a model makes up
out of an excerpt's own words is not noticed.
"""

_BEGINNING = 5  # letters that words of a family share; endings carry the grammar
_COUNTED = 4  # numbers below that, in letters, count what the sentence itself names
_TOLD_LEAST = 2  # words of a sentence that must be told, whatever their share; one word proves nothing
_ADDRESS = re.compile(r"://|[^\W\d_]{2,}\.[^\W\d_]{2,}|\w@\w")
_QUOTED = re.compile(
    r"“([^“”]{1,600})”|\"([^\"]{1,600})\"|«([^«»]{1,600})»|„([^„“”]{1,600})[“”]|「([^「」]{1,600})」|"
    r"(?<!\w)['‘]((?:[^'‘’]|(?<=\w)['’](?=\w)){1,600})['’](?!\w)"
)
_ELIDED = re.compile(
    r"\b(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|un|(?:d|n|s)?[ae]ll|sull|dall|quest)['’](?=\w)", re.IGNORECASE
)
_BETWEEN = re.compile(r"[\s<>/]+")
_MARKS = re.compile('[“”„«»「」"]')
_VALUE = re.compile(r"#(\d+)")
_CHARACTER = re.compile(f"[{UNSPACED}]")


@dataclass(frozen=True, slots=True)
class Told:
    """What texts tell, looked up by word."""

    families: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    numbers: frozenset[int] = frozenset()
    runs: tuple[str, ...] = ()

    @classmethod
    def of(cls, *texts: str) -> Told:
        said = [_words(text) for text in texts]
        return cls(
            frozenset(family for each in said for family in _families(each)),
            frozenset(word for each in said for word in each),
            frozenset(value for each in said for value, _ in _numbers(each)),
            tuple(f" {' '.join(each)} " for each in said),
        )

    def __or__(self, other: Told) -> Told:
        return Told(
            self.families | other.families,
            self.words | other.words,
            self.numbers | other.numbers,
            self.runs + other.runs,
        )

    def tells(self, families: Iterable[str], values: Iterable[int]) -> bool:
        """Whether any of these is told."""
        return not (self.families.isdisjoint(families) and self.numbers.isdisjoint(values))


@dataclass(frozen=True, slots=True)
class Grounds:
    """What one answer may stand on. `named`: words for which no excerpt is needed: the person's own name."""

    excerpts: dict[int, Told]
    question: Told
    named: Told
    language: str = "en"
    _whole: Told = field(default_factory=Told)

    @classmethod
    def of(cls, question: str, person: Person, excerpts: Sequence[Excerpt]) -> Grounds:
        told = {
            excerpt.number: Told.of(excerpt.row.whole().text, excerpt.row.video.title, *_speakers(excerpt))
            for excerpt in excerpts
        }
        whole = _together(told.values())
        return cls(told, Told.of(question), Told.of(person.name), base(person.language), whole)

    def supporting(self, sentence: str, cites: Sequence[int]) -> tuple[int, ...]:
        """Of the excerpts named, those that tell any of the sentence; none where together they do not tell it."""
        if not cites:
            return ()
        if not tokens(_QUOTED.sub(" ", sentence)):  # it is a quotation, as `quoting` left it
            return tuple(number for number in cites if self.quoting(sentence, (number,)) == sentence)
        told = _together(self.excerpts[number] for number in cites)
        if not self._sure(sentence, told, told | self.question | self.named):
            return ()
        words, values = self._telling(sentence), set(_counted(sentence))
        shared = [word for word in words if word in told.families]
        needed, held = len(words) + len(values), len(shared) + len(values)
        if held < max(SUPPORT * needed, min(_TOLD_LEAST, needed), 1):
            return ()
        return tuple(number for number in cites if self.excerpts[number].tells(shared, values))

    def concerns(self, text: str, *, spare: int = 0) -> bool:
        """Whether it is about what was asked or told anywhere, and names nothing else. `spare`: words of its own that
        it may have whatever their share."""
        told = self._whole | self.question | self.named
        words = [word for word in self._telling(text) if not is_about_telling(word, self.language)]
        shared = sum(word in told.families for word in words)
        return shared >= min(SUPPORT * len(words), len(words) - spare) and self._sure(text, told, told)

    def quoting(self, sentence: str, cites: Iterable[int]) -> str:
        """The sentence with marks of quotation only around what was said in these very words."""
        runs = [run for number in cites for run in self.excerpts[number].runs]

        def checked(found: re.Match[str]) -> str:
            quoted = next(filter(None, found.groups()))
            return found.group() if _within(quoted, runs) else quoted

        kept = _QUOTED.sub(checked, sentence)
        return _MARKS.sub("", kept) if _MARKS.search(_QUOTED.sub("", kept)) else kept

    def as_person(self, sentence: str) -> bool:
        """Whether it says "I" of the person, outside of quotations."""
        return not self_words(self.language).isdisjoint(tokens(_QUOTED.sub(" ", sentence)))

    def _telling(self, sentence: str) -> list[str]:
        """Families of the words that need support, each once."""
        idle = function_words(self.language)
        said = tuple(word for word in _words(sentence) if word not in idle and not word.isdigit())
        return [family for family in dict.fromkeys(_families(said)) if family not in self.named.families]

    def _sure(self, sentence: str, told: Told, known: Told) -> bool:
        """Whether each number was told, and each name at least asked for."""
        if not told.numbers.issuperset(_counted(sentence)):
            return False
        addresses = (word for word in sentence.split() if _ADDRESS.search(word))
        if not all(told.words.issuperset(_words(address)) for address in addresses):
            return False
        return all(_known(name, known) for name in _names(sentence, self.language))


def _together(told: Iterable[Told]) -> Told:
    whole = Told()
    for each in told:
        whole |= each
    return whole


def _speakers(excerpt: Excerpt) -> Collection[str]:
    return {word.speaker for word in excerpt.row.words if word.speaker}


def _words(text: str) -> tuple[str, ...]:
    """Folded; an article that lost its vowel is a word of its own: l'index, dell'indice."""
    return tokens(_ELIDED.sub(" ", text))


def _families(words: Sequence[str]) -> list[str]:
    """Beginnings of words; where a word is only a character, pairs of them."""
    if 2 * sum(_CHARACTER.match(word) is not None for word in words) > len(words) > 1:
        return [one + other for one, other in pairwise(words)]
    return [
        word.removesuffix("s")[:_BEGINNING] if len(word) > 3 else word
        for word in words
        if len(word) > 1 or not word.isascii()
    ]


def _numbers(words: Sequence[str]) -> list[tuple[int, bool]]:
    """Values, and whether they are written in digits."""
    found = []
    for token, first, last in numbers(words):
        if (value := _VALUE.match(token)) is not None:
            written = any(char.isdigit() for word in words[first : last + 1] for char in word)
            found.append((int(value[1]), written))
    return found


def _counted(sentence: str) -> list[int]:
    """Values that must have been told. Small ones in letters only count what the sentence itself names."""
    return [value for value, written in _numbers(tokens(sentence)) if written or value >= _COUNTED]


def _names(sentence: str, language: str) -> list[tuple[str, ...]]:
    """Folded. A capital tells nothing at the beginning, nor in German; capitals within a word and digits always do."""
    found = []
    begins = True
    for word in _BETWEEN.split(sentence):
        letters = word.strip("\"'“”«»„‘’().,;:!?…*[]{}-–—")
        odd = any(char.isupper() for char in letters[1:]) or (
            any(map(str.isdigit, letters)) and any(map(str.isalpha, letters))
        )
        if odd or (letters[:1].isupper() and not begins and language != "de"):
            folded = _words(letters)
            if not function_words(language).issuperset(folded):
                found.append(folded)
        begins = word.endswith((":", ".", "!", "?", "…"))
    return found


def _known(name: tuple[str, ...], known: Told) -> bool:
    return all(word in known.words or not known.families.isdisjoint(_families((word,))) for word in name)


def _within(quoted: str, runs: Iterable[str]) -> bool:
    said = f" {' '.join(_words(quoted))} "
    return any(said in run for run in runs)
