"""The choice of a passage by the numbers of its sentences: nothing is copied, so nothing can be copied wrongly."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from qandai.answering.fences import DATA_RULE, asked, numbered, shown, units
from qandai.chat import Form, Prompt
from qandai.errors import Unusable
from qandai.framing import plain
from qandai.model import Excerpt, Person, Span
from qandai.replies import objects, visible, whole_number

LONGEST = 40
FORM = Form(
    "passage",
    {
        "type": "object",
        "properties": {
            "excerpt": {"type": "integer"},
            "first_sentence": {"type": "integer"},
            "last_sentence": {"type": "integer"},
        },
        "required": ["excerpt", "first_sentence", "last_sentence"],
        "additionalProperties": False,
    },
)

_MOST_SENTENCES = 12
_MOST_SECONDS = 60.0
_NUMBERS = re.compile(r"\d+")
_WORDY = 120  # characters; numbers in a longer text mean something else
_KEYS = (
    ("excerpt", "excerpt_number", "number"),
    ("first_sentence", "first", "start"),
    ("last_sentence", "last", "end"),
)


def prompt(question: str, person: Person, excerpts: Sequence[Excerpt], *, chars: int) -> Prompt:
    name = plain(person.name, 80) or "the speaker"
    system = f"""\
You find the place in recordings of {name} where a visitor's question is answered. You get numbered excerpts of the \
transcripts, [1], [2] and so on, whose sentences are numbered (1), (2) and so on, and the question.
- Choose the excerpt that answers the question, not one that merely uses its words. An answer in other words, by an \
example or to a good part is an answer.
- first_sentence is the first sentence that answers. Never begin with an interviewer's question.
- last_sentence is where the answer ends, mostly one to five sentences on, never before the first.
- Reply with JSON and nothing else: {{"excerpt": number, "first_sentence": number, "last_sentence": number}}
- Only if none of the excerpts has anything to say to the question, all three are 0.
{DATA_RULE}"""
    user = f"{numbered(excerpts, chars=chars)}\n\n{asked(question)}\n\nReply with the three numbers as JSON."
    return Prompt(system, user, LONGEST, FORM, _specimen(excerpts))


def read(reply: str, excerpts: Sequence[Excerpt], *, chars: int) -> Span | None:
    """Sentences of one of the excerpts, at most a minute or twelve of them; None where nothing is covered. `chars` as
    in the prompt. Raises Unusable, also for numbers that name nothing, or nothing that was shown."""
    text = visible(reply)
    found = next((numbers for each in objects(text) if (numbers := _of_json(each))), None) or _of_words(text)
    if found is None:
        raise Unusable("Its reply names no sentences.")
    number, first, last = found
    if number == 0:
        return None
    excerpt = next((excerpt for excerpt in excerpts if excerpt.number == number), None)
    if excerpt is None:
        raise Unusable(f"It chose excerpt {number} of {len(excerpts)}.")
    spans = units(excerpt)
    if not 1 <= first <= last <= len(spans):
        raise Unusable(f"It chose sentences {first} to {last} of {len(spans)}.")
    seen = shown(excerpt, chars=chars)
    if spans[first - 1].first < seen[0].first or spans[last - 1].last > seen[-1].last:
        raise Unusable(f"It chose sentences {first} to {last}, which it was not shown.")
    last = min(last, first + _MOST_SENTENCES - 1)
    while last > first and spans[last - 1].end - spans[first - 1].start > _MOST_SECONDS:
        last -= 1
    return excerpt.row.span(spans[first - 1].first, spans[last - 1].last)


def _of_json(each: Mapping[str, object]) -> tuple[int, int, int] | None:
    numbers = [
        next((number for key in keys if (number := whole_number(each.get(key))) is not None), None) for keys in _KEYS
    ]
    if numbers[0] == 0:
        return 0, 0, 0
    number, first, last = numbers
    return None if number is None or first is None or last is None else (number, first, last)


def _of_words(text: str) -> tuple[int, int, int] | None:
    """Three numbers and little else, as in "excerpt 2, sentences 3-5" and "[2, 3, 5]"; or a nought."""
    if len(text) > _WORDY or "{" in text:
        return None
    numbers = [int(digits) for digits in _NUMBERS.findall(text)]
    if numbers == [0]:
        return 0, 0, 0
    return (numbers[0], numbers[1], numbers[2]) if len(numbers) == 3 else None


def _specimen(excerpts: Sequence[Excerpt]) -> str:
    if not excerpts:
        return '{"excerpt": 0, "first_sentence": 0, "last_sentence": 0}'
    passage = excerpts[0].passage
    inside = [
        place
        for place, span in enumerate(units(excerpts[0]), start=1)
        if span.last >= passage.first and span.first <= passage.last
    ]
    first, last = inside[0], inside[:5][-1]
    return f'{{"excerpt": {excerpts[0].number}, "first_sentence": {first}, "last_sentence": {last}}}'
