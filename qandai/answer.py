"""What a question gets: the clip that answers it, what a model wrote beside it, and how both came about.

An answer is made in parts. `Event`s tell each part as soon as it is there, in the order of this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from qandai.chat import Trouble
from qandai.model import Clip, Excerpt, Mode, Question

Lack = Literal["clip", "text"]
"""A part that a model should have made, and that the recordings made alone."""


@dataclass(frozen=True, slots=True)
class Making:
    """How an answer came about. `mode` is what `auto` was resolved to.

    `model`: who chose the clip or wrote the text; None where the recordings speak for themselves. `troubles`: the
    models that failed; they count for the visitor where `lacking` names the part that was made without a model for it.
    `short_circuited`: nothing came near enough to the question to be shown to a model.
    """

    mode: Mode = "clip"
    understood_as: str | None = None
    model: str | None = None
    troubles: tuple[Trouble, ...] = ()
    lacking: tuple[Lack, ...] = ()
    short_circuited: bool = False
    rewrites: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that a model wrote, with the numbers of the excerpts that support it. None only where it says what the
    recordings do not cover, for which there is nothing to name. `paragraph`: it begins one."""

    text: str
    cites: tuple[int, ...]
    paragraph: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """What stands under an essay. `scale` says in how many recordings it is spoken of: (these, of all). `key_quote`
    is checked against the recordings."""

    scale: tuple[int, int]
    themes: tuple[str, ...] = ()
    key_quote: Clip | None = None


@dataclass(frozen=True, slots=True)
class Essay:
    """One answer from the whole archive. `cited`: the excerpts by number, as statements name them; `spoken`: each of
    them as a clip. Without a model the statements are empty, and the clips are the highlights."""

    cited: tuple[Excerpt, ...]
    spoken: tuple[Clip, ...]
    statements: tuple[Statement, ...] = ()
    summary: Summary | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """`clip` answers the question; `alternatives` are other moments, best first; `excerpts` what was read."""

    question: Question
    clip: Clip
    alternatives: tuple[Clip, ...]
    excerpts: tuple[Excerpt, ...]
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    making: Making = Making()
    essay: Essay | None = None


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """ "They never said." `near` are the nearest moments, to be shown as near and never as the answer."""

    question: Question
    near: tuple[Clip, ...]
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    making: Making = Making()


@dataclass(frozen=True, slots=True)
class Resolved:
    """What is being made, and of which question where a follow-up was understood."""

    making: Making


@dataclass(frozen=True, slots=True)
class Found:
    """What was ranked; `sources` of the response. In synthesis they are numbered as the statements cite them."""

    excerpts: tuple[Excerpt, ...]


@dataclass(frozen=True, slots=True)
class Heard:
    """The clip, or that there is none. In synthesis the text is still to come."""

    result: Answer | NoAnswer


@dataclass(frozen=True, slots=True)
class Wrote:
    statement: Statement


@dataclass(frozen=True, slots=True)
class Summed:
    summary: Summary


@dataclass(frozen=True, slots=True)
class Done:
    """The whole, as it is given to whoever did not follow its making."""

    result: Answer | NoAnswer


Event = Resolved | Found | Heard | Wrote | Summed | Done
