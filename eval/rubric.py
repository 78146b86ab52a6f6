"""How directly a quote answers a question: what judges are told, how they are read, and how far they agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qandai.chat import Form, Prompt
from qandai.errors import Unusable
from qandai.framing import DATA_RULE, asked, fenced, plain
from qandai.replies import objects, visible, whole_number

SCORES = (1, 2, 3, 4, 5)
RUBRIC = """\
5: answers the question directly and from its first sentence; nobody who asked it would want to hear more or less
4: answers it, but begins with something else, or leaves out a part, or goes on about something else
3: answers a part of it, or only indirectly: the listener must work the answer out
2: speaks of the same subject and does not answer
1: has nothing to do with the question"""

_QUOTE_CHARS = 2000
_FORM = Form(
    "judgement",
    {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "score": {"type": "integer", "enum": list(SCORES)}},
        "required": ["reason", "score"],
        "additionalProperties": False,
    },
)


def prompt(question: str, quote: str) -> Prompt:
    system = f"""\
You judge a service that answers a question by playing a stretch of a recording. You get the question and what is \
played, as a transcript without corrections: judge what it says, and not its wording, grammar or punctuation. Do not \
judge whether it is true.
Give one score for how directly it answers:
{RUBRIC}
Reply with JSON and nothing else, the reason first, in at most 20 words: {{"reason": "...", "score": number}}
{DATA_RULE}"""
    user = f"{asked(question)}\n\n{fenced('quote', plain(quote, _QUOTE_CHARS))}\n\nReply with reason and score as JSON."
    return Prompt(system, user, 100, _FORM, '{"reason": "It was not read.", "score": 3}')


def read(reply: str) -> int:
    """A score from 1 to 5. Raises Unusable for anything else: a judge who does not keep to the scale has not judged."""
    for each in objects(visible(reply)):
        score = whole_number(each.get("score"))
        if score is not None:
            if score in SCORES:
                return score
            raise Unusable(f"It gave a score of {score}.")
    raise Unusable("Its reply holds no score.")


def exact(one: Sequence[int], other: Sequence[int]) -> float:
    """The share of equal scores; both lists are as long, and not empty."""
    return within(0, one, other)


def within(apart: int, one: Sequence[int], other: Sequence[int]) -> float:
    """The share of scores that are at most so far apart."""
    return float(np.mean(np.abs(np.subtract(one, other)) <= apart))


def weighted_kappa(one: Sequence[int], other: Sequence[int]) -> float | None:
    """Agreement beyond chance, with quadratic weights (Cohen 1968): 1 less the mean squared difference, divided by
    what it would be if each judge had dealt the same scores at random. 1 is perfect, 0 is chance; None where both gave
    one and the same score throughout, so that chance agrees as well."""
    ours, theirs = np.asarray(one, np.float64), np.asarray(other, np.float64)
    by_chance = float(np.mean((ours[:, None] - theirs[None, :]) ** 2))
    return 1 - float(np.mean((ours - theirs) ** 2)) / by_chance if by_chance else None
