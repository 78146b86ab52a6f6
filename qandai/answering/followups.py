""" "What about the other one?" as a question that stands alone, from those that were asked before."""

from __future__ import annotations

import re
from collections.abc import Sequence

from qandai.answering.fences import DATA_RULE, asked
from qandai.answering.leaning import Term, leaning, terms
from qandai.answering.questions import opens_question
from qandai.chat import Prompt
from qandai.errors import Unusable
from qandai.framing import fenced, plain
from qandai.model import Person, Turn
from qandai.replies import lines, objects, visible
from qandai.text import tokens

LONGEST = 120
MOST_TURNS = 4
"""Of those before, the last ones."""

_CHARS = 500
_TURN_CHARS = 300
_LABEL = re.compile(
    r"(?:the )?(?:rewritten |standalone |stand-alone |complete |full |final |new )?(?:question|query|version) ?: ?",
    re.IGNORECASE,
)
_MARK = re.compile(r"[?？؟;\u037e]\W{0,3}\Z")
_LANGUAGES = ("en", "el", "fr", "de", "es")
_MARKS = " \t\"'“”„«»‘’*_`"

_MOST_TERMS = 4


def prompt(question: str, history: Sequence[Turn], person: Person) -> Prompt:
    """`history`: what was asked before, oldest first."""
    system = f"""\
A visitor asks about recordings of {plain(person.name, 80) or "a speaker"}. Write their last question so that it is \
understood without those before.
- Put what it refers to in its place: names and things, taken from the earlier questions and from nowhere else.
- Keep its language, its meaning and as many of its words as you can. Add nothing.
- If it is understood as it stands, repeat it unchanged.
- Never answer it. Reply with one line: the question.
{DATA_RULE}"""
    earlier = [plain(turn.question, _TURN_CHARS) for turn in history[-MOST_TURNS:]]
    user = f"{fenced('earlier', *earlier)}\n\n{asked(question)}\n\nThe question, understood alone:"
    return Prompt(system, user, LONGEST, specimen=carried_over(question, history, person.language))


def read(reply: str, question: str) -> str:
    """The question as it is meant, on one line of at most 500 characters. Raises Unusable, also for a reply that
    answers instead: a question becomes no statement, and keeps a word of its own."""
    text = visible(reply)
    named = (value for each in objects(text) for value in each.values() if isinstance(value, str))
    meant = next(named, None) or _line(text)
    if len(meant) > _CHARS:
        raise Unusable("Its question is too long to be one.")
    meant = plain(_LABEL.sub("", meant, count=1).strip(_MARKS), _CHARS)
    words = set(tokens(meant))
    if not words:
        raise Unusable("Its reply holds no question.")
    if not (_asks(meant) if _asks(question) else words & set(tokens(question))):
        raise Unusable("It answered what it should have understood.")
    return meant


def carried_over(question: str, history: Sequence[Turn], language: str) -> str:
    """Without a model: a question that leans on those before, with what the last of them was about in brackets behind
    it; any other unchanged. Names are carried rather than other words; "and in Berlin?" replaces them."""
    languages = tuple(dict.fromkeys((language.split("-")[0], "en")))
    own = plain(question, _TURN_CHARS)
    lean = leaning(own, languages) if len(question) <= _TURN_CHARS else None
    if lean is None:
        return question
    renamed = lean == "goes on" and any(term.is_name for term in terms(own, languages))
    for turn in reversed(history[-MOST_TURNS:]):
        before = terms(plain(turn.question, _TURN_CHARS), languages)
        carried = _most_telling([term for term in before if not (renamed and term.is_name)], frozenset(tokens(own)))
        if carried:
            return f"{question.strip()} ({', '.join(carried)})"
    return question


def _most_telling(about: Sequence[Term], own: frozenset[str]) -> list[str]:
    """Names, then the longest words, as many as are carried over, in the order in which they were asked."""
    fresh = [term for term in about if not own.issuperset(tokens(term.text))]
    best = sorted(fresh, key=lambda term: (not term.is_name, -len(term.text)))[:_MOST_TERMS]
    return list(dict.fromkeys(term.text for term in fresh if term in best))


def _line(text: str) -> str:
    """The question itself: the first line that is no "Here it is:"."""
    told = [line for line in lines(text) if line]
    kept = [line for line in told if not line.endswith(":")]
    return kept[0] if kept else ""


def _asks(text: str) -> bool:
    return bool(_MARK.search(text)) or any(opens_question(text, language=language) for language in _LANGUAGES)
