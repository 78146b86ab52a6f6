"""Questions that a model makes up about a passage: how it is asked for them, and which of them are refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qandai.align import align
from qandai.answering.fences import listing
from qandai.chat import Form, Prompt
from qandai.errors import Unusable
from qandai.framing import DATA_RULE, asked, fenced, plain
from qandai.model import Excerpt, Row, Span
from qandai.replies import objects, visible
from qandai.text import tokens

MOST_CHARS = 160
MOST_SHARED = 0.5
"""Share of a question's longer words that its passage may say: names and terms have no others."""

_RUN = 4  # words in a row that are copied
_TELLING = 4  # letters from which on a word tells something
_BEGINNING = 5  # letters by which words of a family are known
_PASSAGE_CHARS = 1200
_ENDS = ("?", "？", ";", "؟", "\u037e")  # the Greek question mark is typed as ; as well
_POINTING = frozenset({"passage", "excerpt", "transcript", "snippet"})


def _form(name: str, **kinds: str) -> Form:
    properties = {key: {"type": kind} for key, kind in kinds.items()}
    schema = {"type": "object", "properties": properties, "required": list(kinds), "additionalProperties": False}
    return Form(name, schema)


@dataclass(frozen=True, slots=True)
class Invented:
    """`answer` None: nobody gives one. It is as the model copied it, until `placed` finds it."""

    question: str
    answer: str | None = None


def question_prompt(passage: Span, language: str) -> Prompt:
    system = f"""\
You write questions that test a search in recordings. You get a passage of a transcript.
- Write one question that a visitor might ask who has never heard the recording, and that this passage answers.
- Ask in the visitor's words, not in those of the passage; only names and technical terms may be the same.
- It must be understood by whoever does not see the passage, and must not hint at the answer.
- At most 20 words, in the language whose code is "{plain(language, 20)}".
- As the answer copy the words of the passage that answer it, exactly, from one half to two sentences.
- Reply with JSON and nothing else: {{"question": "...", "answer": "..."}}
- Where the passage says nothing that anybody would ask for, both are "".
{DATA_RULE}"""
    first = " ".join(passage.text.split()[:12])
    specimen = (
        f'{{"question": "What is heard at {passage.start:.0f}?", "answer": "'
        + plain(first, 200).replace('"', "'")
        + '"}'
    )
    user = f"{_shown(passage)}\n\nReply with the question and the answer as JSON."
    return Prompt(system, user, 200, _form("question", question="string", answer="string"), specimen)


def near_miss_prompt(passage: Span, language: str) -> Prompt:
    system = f"""\
You write questions that test whether a search in recordings knows what is not there. You get a passage of a transcript.
- Write one question on the very subject of the passage, with its names and terms, which a visitor could expect to be \
answered there and which the passage does not answer: another number, another case, a reason or a comparison that is \
not given.
- It must be understood by whoever does not see the passage.
- At most 20 words, in the language whose code is "{plain(language, 20)}".
- Reply with JSON and nothing else: {{"question": "..."}}
{DATA_RULE}"""
    specimen = f'{{"question": "What is not heard at {passage.start:.0f}?"}}'
    user = f"{_shown(passage)}\n\nReply with the question as JSON."
    return Prompt(system, user, 100, _form("near_miss", question="string"), specimen)


def check_prompt(question: str, excerpts: Sequence[Excerpt]) -> Prompt:
    """Asks whether any of the excerpts answers."""
    system = f"""\
You get excerpts of transcripts and a question. Say whether any of the excerpts answers the question, also in other \
words, indirectly or to a good part. Speaking of the same subject is no answer.
- Reply with JSON and nothing else: {{"answered": true}} or {{"answered": false}}
{DATA_RULE}"""
    user = f"{listing(excerpts, chars=1000)}\n\n{asked(question)}\n\nReply with answered as JSON."
    return Prompt(system, user, 20, _form("answered", answered="boolean"), '{"answered": false}')


def read_question(reply: str) -> Invented:
    """Raises Unusable. An empty question says that there is nothing to ask."""
    for each in objects(visible(reply)):
        question, answer = each.get("question"), each.get("answer")
        if isinstance(question, str):
            return Invented(" ".join(question.split()), answer if isinstance(answer, str) else None)
    raise Unusable("Its reply holds no question.")


def read_check(reply: str) -> bool:
    """Raises Unusable."""
    for each in objects(visible(reply)):
        answered = each.get("answered")
        if isinstance(answered, bool):
            return answered
    raise Unusable("Its reply says neither true nor false.")


def fault(question: str) -> str | None:
    """Why it is none that a visitor would ask; None where it is one."""
    if not tokens(question):
        return "nothing to ask"
    if len(question) > MOST_CHARS:
        return "too long"
    if not question.endswith(_ENDS):
        return "no question"
    return "speaks of the passage" if not _POINTING.isdisjoint(tokens(question)) else None


def too_near(invented: Invented, passage: Span, most_shared: float = MOST_SHARED) -> str | None:
    """Why a question gives its passage away; None where it does not."""
    asked_for, said = tokens(invented.question), tokens(passage.text)
    runs = {said[at : at + _RUN] for at in range(len(said) - _RUN + 1)}
    if any(asked_for[at : at + _RUN] in runs for at in range(len(asked_for) - _RUN + 1)):
        return "copies the passage"
    if _shared(asked_for, said) > most_shared:
        return "says it in the passage's words"
    if invented.answer and _shared(tokens(invented.answer), asked_for) > most_shared:
        return "holds the answer"
    return None


def placed(invented: Invented, passage: Span) -> Span | None:
    """Where the passage says the answer; None where it does not."""
    found = align(invented.answer or "", [Row(passage.video, passage.words, passage.first)])
    return None if found is None else found.span


def _shared(words: Sequence[str], among: Sequence[str]) -> float:
    telling = {word[:_BEGINNING] for word in words if len(word) >= _TELLING}
    return len(telling & {word[:_BEGINNING] for word in among}) / len(telling) if telling else 0.0


def _shown(passage: Span) -> str:
    return fenced("passage", plain(passage.text, _PASSAGE_CHARS))
