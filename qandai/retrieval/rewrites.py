"""Answers as the person might give them, made up by a model: only to search with, never shown as said by anyone.

An imagined answer lies nearer to a real one than the question does (Gao et al. 2022, HyDE).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from qandai.chat import Prompt
from qandai.errors import Unusable
from qandai.framing import DATA_RULE, asked, plain
from qandai.model import Person
from qandai.replies import lines, undecorated, visible
from qandai.text import tokens

MOST = 5
LONGEST = 400
"""Tokens: five times two sentences."""

_CHARS = 300
_FEWEST = 4  # words that say anything; fewer are headings such as "The 5 answers"
_NUMBER = re.compile(r"[\[(]?\d{1,2}\s?[\]).:]{1,2}(?!\d)\s{0,9}")
_STRINGS = re.compile(r'("(?:[^"\\\n]|\\.){0,1000}")(\s{0,9}:)?')  # of JSON; a key has a colon behind it
_MARKS = " \t\"'“”„«»‘’*_`,"


def prompt(question: str, person: Person, *, count: int = MOST) -> Prompt:
    """Asks for `count` answers, in the person's voice and the language of the recordings."""
    name = plain(person.name, 80) or "the speaker"
    voice = f"\nWho speaks: {plain(person.persona, 600)}" if person.persona.strip() else ""
    system = f"""\
You imagine how {name} might answer a question in a recorded talk. The transcripts are then searched with the \
answers.{voice}
- Write {count} different answers, each on a line of its own, without numbers: one or two short sentences.
- Speak as {name} would, in the first person, in plain spoken words, with the terms that belong to the subject.
- Let the answers differ: each may take the question another way.
- Write in the language of the recordings, whose code is "{plain(person.language, 20)}", whatever the question's is.
- If you do not know, guess. Nothing but the answers.
{DATA_RULE}"""
    user = f"{asked(question)}\n\nThe {count} answers, one a line:"
    return Prompt(system, user, LONGEST, specimen=plain(question, _CHARS) or "?")


def read(reply: str) -> tuple[str, ...]:
    """At most five different texts of at most 300 characters, each on one line; never none. Raises Unusable."""
    kept: dict[tuple[str, ...], str] = {}
    for text in _texts(visible(reply)):
        said = plain(text.strip(_MARKS), _CHARS)
        words = tokens(said)
        if len(words) >= _FEWEST:
            kept.setdefault(words, said)
        if len(kept) == MOST:
            break
    if not kept:
        raise Unusable("It imagined no answer.")
    return tuple(kept.values())


def _texts(text: str) -> Iterator[str]:
    """The strings of a JSON list or object, also of one that breaks off, or the lines."""
    begins = next((line for line in lines(text) if line), "")
    if begins.startswith(("[", "{")) and '"' in text and not _NUMBER.match(begins):
        for string, colon in _STRINGS.findall(text):
            if not colon:
                yield _unescaped(string)
        return
    for line in lines(text):
        number = _NUMBER.match(line)
        if line and not line.endswith(":"):  # "Here are five answers:"
            yield undecorated(line[number.end() :]) if number else line


def _unescaped(string: str) -> str:
    try:
        return str(json.loads(string, strict=False))
    except ValueError:
        return string
