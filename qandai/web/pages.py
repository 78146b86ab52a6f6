"""The pages. Each is whole without JavaScript; the script fetches the same answer with `?fragment=1`."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request
from werkzeug.wrappers import Response

from qandai import links
from qandai.answer import Answer, NoAnswer
from qandai.answering.refusals import not_covered
from qandai.model import Clip
from qandai.site import Site
from qandai.web import openapi, views
from qandai.web.desk import Desk, Reply
from qandai.web.requests import AskRequest, Moment, clean, parse


def pages(site: Site, desk: Desk) -> Blueprint:
    blueprint = Blueprint("pages", __name__)
    lead = site.settings.lead_seconds

    @blueprint.get("/")
    def people() -> str:
        cards = tuple(views.person_view(profile) for profile in desk.people())
        return render_template("people.html", page=views.PeoplePage(cards))

    @blueprint.get("/<slug>")
    def person(slug: str) -> str:
        profile = desk.profile(slug)
        question, moment = str(clean(request.args.get("q", ""))), _moment()
        if not question and moment is None:
            return render_template("person.html", page=views.person_page(profile))
        reply = desk.ask(_asked(slug, question)) if question else None
        clip = desk.moment(slug, moment) if moment else None
        page = answer_page(views.person_view(profile), question, reply, clip, wanted=moment, lead=lead)
        return render_template("_answer.html" if request.args.get("fragment") else "answer.html", page=page)

    @blueprint.get("/<slug>/")
    def slashed(slug: str) -> Response:
        return redirect(links.person_path(slug), code=308)

    @blueprint.get("/<slug>/videos/<video_id>")
    def transcript(slug: str, video_id: str) -> str:
        profile = desk.profile(slug)
        _, recording = desk.recording(slug, video_id)
        moment = _moment(video_id)
        span = (moment.t, moment.until) if moment else None
        return render_template("transcript.html", page=views.transcript_page(profile, recording, span, lead=lead))

    @blueprint.get("/docs")
    def docs() -> str:
        return render_template("docs.html", page=openapi.page())

    return blueprint


def _asked(slug: str, question: str) -> AskRequest:
    """Raises Malformed."""
    args = request.args
    filters = {
        "from": args.get("from") or None,
        "to": args.get("to") or None,
        "sources": [source for source in args.getlist("source") if source],
    }
    given = {"person": slug, "question": question, "mode": args.get("mode") or "auto", "filters": filters}
    return parse(AskRequest, given)


def _moment(video_id: str | None = None) -> Moment | None:
    """The clip that the address holds, if any. Raises Malformed."""
    args = request.args
    video = video_id or args.get("v")
    if not video or not args.get("t"):
        return None
    return parse(Moment, {"v": video, "t": args["t"], "end": args.get("end") or None})


def answer_page(
    who: views.PersonView,
    question: str,
    reply: Reply | None,
    held: Clip | None,
    *,
    wanted: Moment | None,
    lead: float,
) -> views.AnswerPage:
    """`held` is the clip of the address; it goes first and keeps its exact words where the ranking knows them."""
    slug = who.person.slug
    ranked = _ranked(reply)
    best = ranked[0] if ranked and reply and isinstance(reply.result, Answer) else None
    known = next((clip for clip in ranked if wanted and _same(clip, wanted)), None)
    shown = known or held or (None if wanted else best)
    rank = next((place for place, clip in enumerate(ranked) if clip is shown), -1)
    others = [(place, clip) for place, clip in enumerate(ranked) if clip is not shown]
    moments = [views.moment_view(slug, clip, question, place) for place, clip in others]
    if reply and isinstance(reply.result, tuple):
        passages = [excerpt.passage for excerpt in reply.result]
        moments += [views.passage_view(slug, span, question, place, lead=lead) for place, span in enumerate(passages)]
    return views.AnswerPage(
        who=who,
        question=question,
        verdict=_verdict(reply, shown, best, wanted),
        sentence=not_covered(who.person.language),
        clip=views.clip_view(slug, shown, question, rank) if shown else None,
        moments=tuple(moments),
        best=links.person_path(slug, question),
    )


def _ranked(reply: Reply | None) -> tuple[Clip, ...]:
    if reply is None or isinstance(reply.result, tuple):
        return ()
    if isinstance(reply.result, NoAnswer):
        return reply.result.near
    return (reply.result.clip, *reply.result.alternatives)


def _same(clip: Clip, wanted: Moment) -> bool:
    return clip.video.id == wanted.v and abs(clip.start - wanted.t) < 0.02 and abs(clip.end - wanted.until) < 0.02


def _verdict(reply: Reply | None, shown: Clip | None, best: Clip | None, wanted: Moment | None) -> views.Verdict:
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
