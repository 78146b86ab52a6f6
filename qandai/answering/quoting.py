"""The choice of a passage by copying it: `2: So I sold it.`

What is copied is a claim that `align` confirms or refuses, so a reply is read generously: a number that is missing or
names no excerpt only costs a hint of where to look. What is refused is a reply in which no claim can be found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from qandai.answering.fences import DATA_RULE, asked, listing
from qandai.chat import Prompt
from qandai.errors import Unusable
from qandai.framing import plain
from qandai.model import Excerpt, Person, Pick
from qandai.replies import lines, objects, undecorated, visible, whole_number
from qandai.text import tokens

SENTINEL = "NOT_COVERED"
LONGEST = 300
"""Tokens: five long sentences, also in Greek, which takes twice as many as English."""

_BRIEF_LONGEST = 120
_QUOTE_CHARS = 2000
_MARKS = " \t\"'“”„«»‘’*_`"
_SENTENCES = 5  # of the specimen
_ANNOUNCING = 80  # characters of "Here is the passage:", at most
_CHATTER = 3  # words in front of a passage
_SAID = 0.5  # share of a line's word pairs from which on it was copied and not made up
_SENTINEL = re.compile(r"not[\W_]*covered", re.IGNORECASE)
_REFUSALS = frozenset({"notcovered", "none", "noneofthem", "noneoftheexcerpts", "noanswer"})

_KEYWORDS = (
    "excerpt|passage|extract|quote|answer|reply|response|result|source|number|option|choice|no|nr|"
    "extrait|réponse|auszug|abschnitt|antwort|extracto|fragmento|pasaje|respuesta|απόσπασμα|απάντηση"
)
_LABEL = re.compile(  # Excerpt 2 - · [2]: · 2. · 2) · **Answer:** 2: · 2 alone on its line
    rf"(?:the\s)?(?:(?:{_KEYWORDS})\b[\s:=.*_]{{0,8}}){{0,3}}"
    r"(?:[\[(][\s#]{0,3}(?:excerpt\s)?(?P<boxed>\d{1,2})[\s]?[\])][\s*_]{0,4}(?:[:=|.,–—-](?!\w))?"
    r"|[#*_]{0,4}(?P<bare>\d{1,2})[*_]{0,4}\s{0,3}(?:[:=|,)]|\.(?!\d)|-+(?!\w)|[–—]+(?!\d)|\Z))",
    re.IGNORECASE,
)
_MENTION = re.compile(rf"\b(?:{_KEYWORDS})\s{{0,3}}[#\[(*]{{0,3}}(\d{{1,2}})\b", re.IGNORECASE)
_LEADING_MENTION = re.compile(rf"[^\d:]{{0,80}}{_MENTION.pattern}[\])*]{{0,3}}\s{{0,3}}:", re.IGNORECASE)
_TRAILING = re.compile(r"[\[(]\s?(?:excerpt\s)?#?(\d{1,2})\s?[\])][\s.]{0,3}\Z", re.IGNORECASE)
_ANSWER = re.compile(rf"(?:the\s)?(?:{_KEYWORDS})\s?[:=]", re.IGNORECASE)
_ALMOST_JSON = re.compile(r"excerpt\W{1,9}(\d{1,2})\W{1,9}(?:quote|passage|text)\W{1,9}(.+)", re.IGNORECASE | re.DOTALL)
_STAMP = re.compile(r"\s{0,3}\|\s{0,3}\d{1,3}(?::\d\d){1,2}\b")
_CLOSED = re.compile(r"\A[\"“„«](.+)[\"”“»](.*)\Z", re.DOTALL)

_NUMBER_KEYS = ("excerpt", "excerpt_number", "number", "source", "index", "id", "n")
_QUOTE_KEYS = ("quote", "passage", "verbatim", "verbatim_passage", "text", "answer")


def prompt(question: str, person: Person, excerpts: Sequence[Excerpt], *, chars: int, brief: bool = False) -> Prompt:
    if brief:
        return _brief(question, excerpts, chars)
    name = plain(person.name, 80) or "the speaker"
    system = f"""\
You find the place in recordings of {name} where a visitor's question is answered. You get numbered excerpts of the \
transcripts, and the question.
- Choose the excerpt that answers the question, not one that merely uses its words. An answer in other words, by an \
example or to a good part is an answer.
- Begin at the first sentence that answers. Never begin with an interviewer's question.
- Copy from there word for word and in one piece, one to five sentences, as long as the answer is. Do not shorten, \
join, correct or translate anything, even where the transcript has mistakes.
- Reply with the number of the excerpt, a colon and the copied passage, and nothing else.
- Only if none of the excerpts has anything to say to the question, reply {SENTINEL} instead.
{DATA_RULE}"""
    offered = _SENTINEL.sub("not covered", listing(excerpts, chars=chars))  # nobody says the sentinel but the model
    user = f"{offered}\n\n{asked(question)}\n\nReply as NUMBER: PASSAGE, or {SENTINEL}."
    return Prompt(system, user, LONGEST, specimen=_specimen(excerpts))


def _brief(question: str, excerpts: Sequence[Excerpt], chars: int) -> Prompt:
    """For models of a few hundred million parameters, which lose themselves in rules: SmolLM2-135M repeats the long
    prompt, and with this one it copies. That is checked like any other claim; when to refuse is left to the floor."""
    user = (
        f"{listing(excerpts, chars=chars, stamp=False)}\n\n"
        f"Copy the sentences from the excerpts above that answer this question:\n{asked(question)}"
    )
    system = "You copy sentences from a text. You never write anything else."
    return Prompt(system, user, _BRIEF_LONGEST, specimen=_specimen(excerpts))


def read(reply: str, excerpts: Sequence[Excerpt]) -> Pick | None:
    """The first claim in a reply; None where it says that nothing is covered. `Pick.excerpt` is 0 where no excerpt was
    named, or none that was offered. Raises Unusable."""
    if "<question>" in reply:
        raise Unusable("It repeated what it was asked.")
    text = visible(reply)
    said = _Said(excerpts)
    claims = list(_claims(text, said))
    refused = [named == 0 or _refuses(words, labelled=True) for named, words in claims]
    for (named, words), refuses in zip(claims, refused, strict=True):
        if tokens(words) and not refuses:
            return said.pick(named, words)
    if any(refused) or _refuses(text):
        return None
    bare = _bare(text, said)
    if bare is None:
        raise Unusable("Its reply names no passage.")
    return bare


class _Said:
    """What the excerpts hold, to tell copied words from a model's own."""

    def __init__(self, excerpts: Sequence[Excerpt]) -> None:
        self._titles = {excerpt.number: plain(excerpt.row.video.title, 120) for excerpt in excerpts}
        words = (tokens(excerpt.row.whole().text) for excerpt in excerpts)
        self._pairs = frozenset(pair for each in words for pair in pairwise(each))

    def copied(self, text: str) -> bool:
        pairs = list(pairwise(tokens(text)))
        return len(pairs) > 1 and sum(pair in self._pairs for pair in pairs) >= _SAID * len(pairs)

    def headless(self, named: int, line: str) -> str:
        """The line without the excerpt's title and time, which are copied with its number."""
        title = self._titles.get(named)
        if title and line.startswith(title):
            line = line[len(title) :]
        stamp = _STAMP.match(line)
        return line[stamp.end() :] if stamp else line

    def pick(self, named: int, words: str) -> Pick:
        closed = _CLOSED.match(words)
        if closed and not self.copied(closed[2]):
            words = closed[1]  # what a model adds behind the quotation marks is its own
        return Pick(named if named in self._titles else 0, plain(words.strip(_MARKS), _QUOTE_CHARS))


def _claims(text: str, said: _Said) -> Iterator[tuple[int, str]]:
    """Excerpt number and words of each; -1 where JSON names none."""
    found = [claim for each in objects(text) if (claim := _of_json(each, said)) is not None]
    almost = None if found else _ALMOST_JSON.search(text) if "{" in text else None
    if almost:
        found.append((int(almost[1]), almost[2].rstrip("\"”'},`\n\t ")))
    yield from found or _labelled(text, said)


def _of_json(each: Mapping[str, object], said: _Said) -> tuple[int, str] | None:
    values = [each[key] for key in _NUMBER_KEYS if key in each]
    number = next((number for value in values if (number := whole_number(value)) is not None), None)
    words = next((value for key in _QUOTE_KEYS if isinstance(value := each.get(key), str)), None)
    if number == 0:
        return 0, ""
    if words is None:
        return (0, "") if values == [None] else None
    if number is None:
        return next(iter(_labelled(words, said)), (0, "") if _refuses(words) else (-1, words))
    return number, words


def _labelled(text: str, said: _Said) -> Iterator[tuple[int, str]]:
    """Each line that begins with a number, with the lines after it that were copied, too."""
    named: int | None = None
    body: list[str] = []
    for line in lines(text):
        label = _LABEL.match(line) or _LEADING_MENTION.match(line)
        if label:
            if named is not None:
                yield named, " ".join(body)
            named = int(next(group for group in label.groups() if group))
            head = said.headless(named, undecorated(line[label.end() :]))
            body = [head] if head.strip() else []
        elif named is not None and line and (not body or said.copied(line)):
            body.append(_unlabelled(line))
    if named is not None:
        yield named, " ".join(body)


def _bare(text: str, said: _Said) -> Pick | None:
    """A passage without a number in front: the longest stretch of copied lines. The number may stand in a sentence
    before, or behind."""
    named, stretches = 0, [list[str]()]
    for line in lines(text):
        words = _passage(line, said)
        trailing = _TRAILING.search(words)
        if trailing:
            words = words[: trailing.start()]
        announces = line.endswith(":") and len(line) < _ANNOUNCING
        if said.copied(words) and not announces:
            stretches[-1].append(words)
            named = int(trailing[1]) if trailing and not named else named
        elif stretches[-1]:
            stretches.append([])
        elif mention := _MENTION.search(line):
            named = named or int(mention[1])
    passage = max((" ".join(stretch) for stretch in stretches), key=len)
    return said.pick(named, passage) if passage else None


def _passage(line: str, said: _Said) -> str:
    """What stands behind "Answer:" or "The answer to the question is:"."""
    words = _unlabelled(line)
    head, _, tail = words.partition(": ")
    chatter = len(tokens(head)) >= _CHATTER and not said.copied(head)
    return tail.strip(_MARKS) if chatter and said.copied(tail) else words


def _unlabelled(line: str) -> str:
    """Without "Answer:" in front."""
    answer = _ANSWER.match(line)
    return undecorated(line[answer.end() :]) if answer else line


def _refuses(text: str, *, labelled: bool = False) -> bool:
    """Whether it is the sentinel, or begins with it. Behind a number it must look like one: "2: Not covered." may be
    what was said."""
    first = next((line for line in lines(text) if line), "")
    first = _unlabelled(first).strip(_MARKS + "([{")
    sentinel = _SENTINEL.match(first)
    if sentinel:
        return "_" in sentinel[0] or sentinel[0].isupper() or not labelled
    return not labelled and "".join(filter(str.isalpha, first.casefold())) in _REFUSALS


def _specimen(excerpts: Sequence[Excerpt]) -> str:
    if not excerpts:
        return SENTINEL
    passage = excerpts[0].passage
    ends = [sentence.span.last for sentence in excerpts[0].sentences if sentence.span.first >= passage.first]
    last = min([passage.last, *ends[_SENTENCES - 1 : _SENTENCES]])
    return f"{excerpts[0].number}: {passage.row.span(passage.first, last).text}"
