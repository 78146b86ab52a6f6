"""Whether words as spoken ask something."""

from __future__ import annotations

import re

from qandai.text import tokens

_MARK = re.compile(r"[?？؟][\"'’”»)\]]*\Z")
_GREEK_MARK = re.compile(r"[?;\u037e][\"'’”»)\]]*\Z")
_STOP = re.compile(r"[.!…。！][\"'’”»)\]]*\Z")

_OPENINGS = {
    "en": "who whom whose what whats when where wheres why how hows which do does did dont doesnt didnt is isnt are "
    "arent was wasnt were werent can cant could couldnt will wont would wouldnt should shouldnt have has had any",
    "el": "ποιος ποια ποιο ποιοι ποιες ποιον τι ποτε που πως γιατι ποσο ποσα ποσοι ποσες μηπως αραγε",
    "fr": "qui que quoi quand ou pourquoi comment combien quel quelle quels quelles est-ce qu'est-ce",
    "de": "wer wen wem wessen was wann wo woher wohin warum wieso weshalb wie welche welcher welches",
    "es": "quién qué cuándo dónde cómo cuánto cuánta cuántos cuántas cuál cuáles",
}
_FILLERS = {
    "en": "so and okay ok well but um uh yeah yes no right now then or next question questions alright also hi hey",
    "el": "λοιπον και ναι οχι αλλα οκ ωραια τωρα μα",
    "fr": "alors et donc oui non mais bon euh",
    "de": "also und ja nein aber gut ähm",
    "es": "entonces y pues sí no pero bueno",
}
_OPENING_TOKENS = {language: frozenset(tokens(words)) for language, words in _OPENINGS.items()}
_FILLER_TOKENS = {language: frozenset(tokens(words)) for language, words in _FILLERS.items()}


def is_question(text: str, *, language: str = "en") -> bool:
    """By its mark; where it ends without any mark, by a question word at its opening, fillers aside."""
    base = language.split("-")[0]
    if (_GREEK_MARK if base == "el" else _MARK).search(text):
        return True
    return not _STOP.search(text) and opens_question(text, language=base)


def opens_question(text: str, *, language: str = "en") -> bool:
    base = language.split("-")[0]
    fillers = _FILLER_TOKENS.get(base, frozenset())
    for word in tokens(" ".join(text.split()[:8])):
        if word not in fillers:
            return word in _OPENING_TOKENS.get(base, frozenset())
    return False
