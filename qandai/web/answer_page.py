"""The page of an answer: which clip goes first, and what stands around it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from qandai import links
from qandai.answer import Answer, Making, NoAnswer
from qandai.answering.refusals import not_covered
from qandai.model import Clip, Mode
from qandai.web import views
from qandai.web.desk import Reply
from qandai.web.essay_view import EssayPart
from qandai.web.excuses import Excuse, excuse
from qandai.web.requests import Moment

Verdict = Literal["answer", "moment", "near", "sources", "never", "gone"]


@dataclass(frozen=True, slots=True)
class ModeView:
    """A kind of answer that the same question can have."""

    href: str
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class AnswerPage:
    """`verdict`: the best answer; another moment; one that is only near; passages; never said; no longer here.

    `asked`: the question that links ask, which stands alone where a follow-up does not; `understood` says so. `essay`
    comes while it is drawn. `excuse`: what was made without a language model, and why.
    """

    who: views.PersonView
    question: str
    verdict: Verdict
    sentence: str
    clip: views.ClipView | None
    moments: tuple[views.MomentView, ...]
    best: str
    asked: str = ""
    understood: str = ""
    modes: tuple[ModeView, ...] = ()
    excuse: Excuse | None = None
    essay: Iterable[EssayPart] | None = None


def answer_page(
    who: views.PersonView,
    question: str,
    reply: Reply | None,
    held: Clip | None,
    *,
    wanted: Moment | None,
    lead: float,
) -> AnswerPage:
    """`held` is the clip of the address; it goes first and keeps its exact words where the ranking knows them."""
    slug = who.person.slug
    making = _making(reply)
    asked = making.understood_as or question
    ranked = _ranked(reply)
    best = ranked[0] if ranked and reply and isinstance(reply.result, Answer) else None
    known = next((clip for clip in ranked if wanted and _same(clip, wanted)), None)
    shown = known or held or (None if wanted else best)
    rank = next((place for place, clip in enumerate(ranked) if clip is shown), -1)
    others = [(place, clip) for place, clip in enumerate(ranked) if clip is not shown]
    moments = [views.moment_view(slug, clip, asked, place) for place, clip in others]
    if reply and isinstance(reply.result, tuple):
        passages = [excerpt.passage for excerpt in reply.result]
        moments += [views.passage_view(slug, span, asked, place, lead=lead) for place, span in enumerate(passages)]
    return AnswerPage(
        who=who,
        question=question,
        verdict=_verdict(reply, shown, best, wanted),
        sentence=not_covered(who.person.language),
        clip=views.clip_view(slug, shown, asked, rank) if shown else None,
        moments=tuple(moments),
        best=links.person_path(slug, asked),
        asked=asked,
        understood=making.understood_as or "",
        modes=_modes(slug, asked, making.mode) if reply and not wanted else (),
        excuse=None if making.mode == "synthesis" else excuse(making),
    )


def _making(reply: Reply | None) -> Making:
    if reply is None or isinstance(reply.result, tuple):
        return Making(mode="sources")
    return reply.result.making


def _ranked(reply: Reply | None) -> tuple[Clip, ...]:
    if reply is None or isinstance(reply.result, tuple):
        return ()
    if isinstance(reply.result, NoAnswer):
        return reply.result.near
    return (reply.result.clip, *reply.result.alternatives)


def _same(clip: Clip, wanted: Moment) -> bool:
    return clip.video.id == wanted.v and abs(clip.start - wanted.t) < 0.02 and abs(clip.end - wanted.until) < 0.02


def _verdict(reply: Reply | None, shown: Clip | None, best: Clip | None, wanted: Moment | None) -> Verdict:
    if shown is None and wanted is not None:
        return "gone"
    if reply is None:
        return "moment"
    if isinstance(reply.result, NoAnswer):
        return "near" if shown else "never"
    if isinstance(reply.result, tuple):
        if shown:
            return "moment"
        return "sources" if reply.result else "never"
    return "answer" if shown is best else "moment"


def _modes(slug: str, question: str, mode: Mode) -> tuple[ModeView, ...]:
    kinds: tuple[tuple[Mode, str], ...] = (
        ("clip", "Find the moment"),
        ("synthesis", "Answer from the whole archive"),
    )
    return tuple(ModeView(links.person_path(slug, question, mode=kind), label, kind == mode) for kind, label in kinds)
