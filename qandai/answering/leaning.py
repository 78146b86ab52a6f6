"""Whether a question leans on the one before it, and what a question is about: names first, then its other words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from qandai.answering.function_words import function_words
from qandai.answering.questions import opens_question
from qandai.text import tokens

_ASKING = {  # of a question's words, those that tell nothing about its subject
    "en": "ok okay please thanks tell mean think happen happened exactly else more",
    "el": "τι πότε πού πώς ποιος ποια ποιο ποιοι ποιες ποιον γιατί πόσο πόσα πες έγινε συνέβη ακόμα ακριβώς",
    "fr": "alors quest cest passé encore exactement dis",
    "de": "wann warum wem wen hast habt bist seid wieso welcher welches passiert genau denn erzähl",
    "es": "cuándo dónde quién cómo cuál cuáles qué pasó más exactamente dime",
}
_REFERRING = {
    "en": "it its that this these those they them their one ones other others another same former latter both",
    "el": "αυτό αυτά αυτή αυτήν αυτές αυτοί αυτόν άλλο άλλη άλλος άλλα άλλοι ίδιο εκείνο εκείνη εκείνος",
    "fr": "ça cela celui celle ceux celles autre autres même",
    "de": "das dies dieses andere anderen anderer anderes dasselbe davon dafür damit daran",
    "es": "eso esto ese esa esos esas otro otra otros otras mismo misma aquello",
}
_GOES_ON = {
    "en": r"(?:and|or|but)\b",
    "el": r"(?:και|ή|αλλά)\b",
    "fr": r"(?:et|ou|mais)\b",
    "de": r"(?:und|oder|aber)\b",
    "es": r"(?:y|o|pero)\b",
}
_ABOUT = re.compile(r"(?:(?:and|so|but) )?(?:what|how) about\b")
_EMPTY_IT = re.compile(r"\b(?:it|that) .*\b(?:to|that|like|when|if)\b")  # "is it true that", "what is it like"
_YOU = frozenset(tokens("you your εσύ εσείς σου σας tu vous toi du ihr sie tú usted"))
_FEW = 3  # words about its subject, up to which a question may lean
_NAME = re.compile(r"\w*[^\W\d_]\w*")
_STOPS = ".!?…;:"


Leaning = Literal["refers", "goes on"]


@dataclass(frozen=True, slots=True)
class Term:
    """Words of a text that tell what it is about. A name is as many capitalised words as stand side by side."""

    text: str
    is_name: bool


def leaning(question: str, languages: Sequence[str]) -> Leaning | None:
    """By what it lacks. "And in Berlin?" goes on with something else in place of what was asked about; "why?" and "did
    it leak?" refer to the same. None for what stands alone."""
    said = tokens(question)
    spoken = " ".join(said)
    about = [word for word in said if word not in _empty(languages)]
    if not said or len(about) > _FEW:
        return None
    referring = {word for language in languages for word in tokens(_REFERRING.get(language, ""))}
    if referring & set(said) and not _EMPTY_IT.search(spoken):
        return "refers"
    opens = any(opens_question(question, language=language) for language in languages)
    goes_on = any(language in _GOES_ON and re.match(_GOES_ON[language], question.lower()) for language in languages)
    if _ABOUT.match(spoken) or (goes_on and not opens):
        return "goes on"
    return None if about or _YOU & set(said) else "refers"


def terms(text: str, languages: Sequence[str]) -> tuple[Term, ...]:
    """In the order in which they stand."""
    empty = _empty(languages)
    chunks = text.split()
    kinds: list[tuple[str, bool | None]] = []  # None: tells nothing
    for place, chunk in enumerate(chunks):
        word = chunk.strip("\"'“”„«»‘’()[],.;:!?…¿¡\u037e？。、")
        opens = place == 0 or chunks[place - 1].endswith(tuple(_STOPS))
        said = tokens(word)
        kinds.append((word, None if not said or empty.issuperset(said) else _is_name(word, opens)))
    if text.isupper() or (len(chunks) > _FEW and all(chunk[0].isupper() for chunk in chunks)):
        kinds = [(word, is_name and False) for word, is_name in kinds]  # shouted, or a headline: no name stands out
    found: list[Term] = []
    for is_name, group in groupby(kinds, key=lambda kind: kind[1]):
        words = [word for word, _ in group]
        if is_name:
            found.append(Term(" ".join(words), True))
        elif is_name is not None:
            found.extend(Term(word, False) for word in words)
    return tuple(found)


def _is_name(word: str, opens: bool) -> bool:
    """Capitalised within a sentence, or written as only names are: iPhone, GPT4."""
    if not _NAME.fullmatch(word.replace("-", "").replace("'", "").replace("’", "")):
        return False
    return any(char.isupper() for char in (word[1:] if opens else word))


def _empty(languages: Sequence[str]) -> frozenset[str]:
    listed = (function_words(language) | set(tokens(_ASKING.get(language, ""))) for language in languages)
    return frozenset().union(*listed, *(tokens(_REFERRING.get(language, "")) for language in languages))
