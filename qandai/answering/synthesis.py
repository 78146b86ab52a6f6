"""One answer from the whole archive: what a model is asked for. `essay` reads what it writes.

The persona goes before and the contract last, so that no manner of speaking outweighs it; the question stands behind
the excerpts, where models look for what they are to do.
"""

from __future__ import annotations

from collections.abc import Sequence

from qandai.answering.fences import asked, listing, units
from qandai.answering.refusals import base, not_covered
from qandai.chat import Prompt
from qandai.framing import DATA_RULE, plain
from qandai.model import Excerpt, Person
from qandai.text import tokens

LONGEST = 500
_CHARS = 900
_PERSONA_CHARS = 600
_SPECIMEN_CHARS = 300
_SPECIMEN_WORDS = 5
_INNER = dict.fromkeys(map(ord, '“”„«»"'), "'")
_LANGUAGES = {
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "it": "Italian",
    "ja": "Japanese",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ru": "Russian",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "zh": "Chinese",
}

_CONTRACT = """\
Your contract:
1. Combine the excerpts into one answer: two to six sentences, in {language}, plain text without headings or lists.
2. Speak about {name} in the third person, as an interpreter of these recordings. You are not {name}: never say "I".
3. You may infer across excerpts. Add no fact, name or number that is not in them, whatever you know.
4. Keep close to the words that were spoken, and use no quotation marks except around exact words.
5. End every sentence with the numbers of the excerpts that support it, as in [1] or [2][3].
6. Say in one last sentence, without a number, which part of the question the recordings do not cover, if there is one.
7. Only if the excerpts are unrelated to the question, write nothing but: {refusal}
After the answer write these two lines, with their labels in English:
THEMES: two to four themes of a few words, separated by semicolons
KEY QUOTE [n]: "the one sentence of excerpt n that matters most, copied word for word\""""


def prompt(question: str, person: Person, excerpts: Sequence[Excerpt], *, chars: int = _CHARS) -> Prompt:
    """`chars`: of each excerpt. The reply has about `LONGEST` tokens."""
    name = plain(person.name, _SPECIMEN_CHARS)
    persona = plain(person.persona, _PERSONA_CHARS)
    about = [f"You sum up what {name} says in recordings, for visitors who asked a question."]
    if persona:
        about.append(f"What {name} is like: {persona}")
    contract = _CONTRACT.format(language=_language(person), name=name, refusal=not_covered(person.language))
    return Prompt(
        system="\n\n".join((*about, DATA_RULE, contract)),
        user=f"{listing(excerpts, chars=chars)}\n\n{asked(question)}",
        longest=LONGEST,
        specimen=_specimen(excerpts, person),
    )


def _language(person: Person) -> str:
    known = _LANGUAGES.get(base(person.language))
    return f"{known}, the language of the recordings" if known else "the language of the excerpts"


def _specimen(excerpts: Sequence[Excerpt], person: Person) -> str:
    """The first sentence of the first excerpt that is more than a word or two."""
    if not excerpts:
        return not_covered(person.language)
    first = excerpts[0]
    spans = [span for span in units(first) if span.last >= first.passage.first] or list(units(first))
    texts = [span.text for span in spans]
    text = next((text for text in texts if len(tokens(text)) >= _SPECIMEN_WORDS), texts[0])
    text = plain(text, _SPECIMEN_CHARS).translate(_INNER)
    number, title = first.number, plain(first.row.video.title, _SPECIMEN_CHARS)
    return f"“{text}” [{number}]\nTHEMES: {title}\nKEY QUOTE [{number}]: “{text}”"
