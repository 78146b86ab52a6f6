"""Which kind of answer a question wants: the one place where it is said, or what was said about it everywhere."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from qandai.answering.fences import DATA_RULE, asked
from qandai.chat import Form, Prompt
from qandai.errors import Unusable
from qandai.framing import QUESTION_CHARS, plain
from qandai.replies import objects, visible
from qandai.text import fold, tokens

Intent = Literal["clip", "synthesis"]

LONGEST = 20
FORM = Form(
    "intent",
    {
        "type": "object",
        "properties": {"kind": {"type": "string", "enum": ["clip", "synthesis"]}},
        "required": ["kind"],
        "additionalProperties": False,
    },
)

_SYSTEM = f"""\
Visitors put questions to the recordings of a person. You say which kind of answer a question wants.
- clip: one place in one recording answers it: a fact, a reason, an event, an instruction, a definition, a story.
- synthesis: it takes several recordings together: what somebody thinks of something, how a view has changed, a \
summary, a comparison, a list of advice, reasons, themes or examples.
When in doubt, clip. Reply with JSON and nothing else: {{"kind": "clip"}} or {{"kind": "synthesis"}}
{DATA_RULE}"""
_KINDS = re.compile(r"\b(?:(clip)|(synthesi\w*))", re.IGNORECASE)

# Written as people write, and folded like the questions: no accents, one sigma, apostrophes within words gone.
_PLACES = {
    "en": (
        r"^(?:and |so |but )?(?:when|where|who|whose|how (?:to|do i|can i|do you|long|old|far|many|much|often))\b",
        r"^(?:and |so |but )?(?:in |at )?(?:which|what) (?:episode|video|talk|recording|year|age|time|point|moment)\b",
        r"^(?:find|show me|take me|play)\b",
    ),
    "el": (r"^(?:και )?(?:πότε|πού|ποιος|πόσο|πόσα|πόσες|σε ποι\w+ (?:επεισόδιο|βίντεο|ομιλία))\b",),
    "fr": (r"^(?:et )?(?:quand|où|qui|combien|comment (?:faire|puis je)|dans quel(?:le)?)\b",),
    "de": (r"^(?:und )?(?:wann|wo|wer|wem|wie (?:lange|alt|oft|viele?|kann ich|macht man)|in welche\w+)\b",),
    "es": (r"^(?:y )?(?:cuándo|dónde|quién|cuánt\w+|cómo (?:se|puedo|hago)|en qué)\b",),
}
_WHOLES = {
    "en": (
        r"^(?:and |so |but )?(?:what|how) (?:do|does|did|would) .*\b(?:think|feel|believe|say|said) (?:of|about|on)\b",
        r"^(?:and |so |but )?what (?:do|does|did) .*\b(?:think|believe|recommend|advise|advocate|teach)$",
        r"\b(?:opinions?|views?|thoughts|stance|philosophy|attitude|perspective|outlook) (?:of|on|about|towards?)\b",
        r"\b(?:his|her|their|your) take on\b",
        r"^how (?:has|have|had|did) .*\b(?:changed?|evolved?|developed|shift(?:ed)?)\b",
        r"^(?:and |so |but )?(?:what|which) (?:\w+ )?(?:advice|tips|lessons|themes|topics|subjects|ideas|arguments|"
        r"reasons|examples|books|principles|mistakes|recommendations|criticisms|ways|kinds|sorts|types)\b",
        r"^(?:and |so |but )?what (?:are|were) .*\b(?:main|key|biggest|common|recurring|important|best|favou?rite)\b",
        r"\b(?:summar(?:y|ise|ize)|overview|comparison|pros and cons|over the years|over time)\b",
        r"^(?:can you |could you |please )?(?:compare|list|contrast)\b",
        r"\beverything (?:\w+ )+(?:says?|said|thinks?)\b",
        r"^(?:tell me|talk) (?:more )?about\b",
    ),
    "el": (
        r"\bτι (?:πιστεύ\w+|νομίζ\w+|σκέφτ\w+|γνώμη|άποψη|συμβουλ\w+|λέει για|λέτε για)",
        r"\b(?:άποψ\w+|γνώμη|σύνοψ\w+|συνόψισ\w+|περίληψ\w+|σύγκρι\w+|συνολικά)\b",
        r"\bπώς .*(?:άλλαξ\w+|αλλάξει|εξελι\w+)",
        r"\bποι(?:ες|οι|α) (?:είναι|ήταν) (?:οι|τα)\b",
        r"^(?:μίλησέ|πες) μου για\b",
    ),
    "fr": (
        r"^(?:et )?(?:que|quest ce qu\w*) .*\bpens\w+",
        r"\b(?:avis|opinion|vision|point de vue) (?:sur|de)\b",
        r"^(?:résum|compar)\w+",
        r"\bcomment .*\b(?:changé|évolué?)\b",
        r"\bquel(?:le)?s (?:sont|étaient|conseils|raisons|thèmes|exemples|livres)\b",
        r"^parle\w* moi\b",
    ),
    "de": (
        r"^(?:und )?was .*\b(?:denk\w+|hält|halten|mein\w+|glaub\w+|sagt|sagen) .*\b(?:über|von|zu|zum|zur)\b",
        r"\b(?:meinung|ansicht|haltung|sicht)\w* (?:zu|zum|zur|über|auf)\b",
        r"^(?:fass\w* .* zusammen|vergleich\w*)\b",
        r"\b(?:zusammenfassung|überblick)\b",
        r"\bwie .*\b(?:verändert|geändert|entwickelt|gewandelt)\b",
        r"\bwas (?:sind|waren) die\b",
        r"\bwelche (?:ratschläge|tipps|gründe|themen|beispiele|bücher|argumente|lehren|fehler)\b",
        r"^erzähl\w* (?:mir )?.*über\b",
    ),
    "es": (
        r"\bqué .*\b(?:piensas?|opinas?|crees?|dices?) (?:de|del|sobre|acerca)\b",
        r"\b(?:opinión|visión|postura) (?:de|del|sobre)\b",
        r"^(?:resum|compar)\w+",
        r"\bcómo .*\b(?:cambiado|cambió|evolucion\w+)\b",
        r"\bcuáles (?:son|eran|fueron)\b",
        r"\bqué (?:consejos|razones|temas|ejemplos|libros|ideas|errores)\b",
        r"^(?:háblame|cuéntame) (?:de|del|sobre)\b",
    ),
}


def _folded(tables: Mapping[str, Sequence[str]]) -> dict[str, re.Pattern[str]]:
    return {language: re.compile("|".join(map(fold, patterns))) for language, patterns in tables.items()}


_PLACE, _WHOLE = _folded(_PLACES), _folded(_WHOLES)


def guess(question: str, language: str) -> Intent:
    """Without a model, by its words: clip where nothing speaks for synthesis. Of the questions that audiences and
    visitors asked of real recordings, 0 to 5 in a hundred are a synthesis.

    `language` is that of the recordings; a question may be in English, too.
    """
    said = " ".join(tokens(plain(question, QUESTION_CHARS)))
    languages = {language.split("-")[0], "en"} & _WHOLE.keys()
    if any(_PLACE[each].search(said) for each in languages):
        return "clip"
    return "synthesis" if any(_WHOLE[each].search(said) for each in languages) else "clip"


def prompt(question: str) -> Prompt:
    return Prompt(_SYSTEM, asked(question), LONGEST, FORM, f'{{"kind": "{guess(question, "en")}"}}')


def read(reply: str) -> Intent:
    """Raises Unusable where it names neither kind, or both without beginning with one."""
    text = visible(reply)
    named = next((value for each in objects(text) if isinstance(value := each.get("kind"), str)), text)
    found = list(_KINDS.finditer(named[:2000]))
    kinds: set[Intent] = {"clip" if each[1] else "synthesis" for each in found}
    if not kinds or (len(kinds) > 1 and named[: found[0].start()].strip(" \n\t*_`\"'“”:.-#>")):
        raise Unusable("It names no kind of answer.")
    return "clip" if found[0][1] else "synthesis"
