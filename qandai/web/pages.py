"""The pages. Each is whole without JavaScript; the script fetches the same answer with `?fragment=1`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from flask import Blueprint, Response, after_this_request, redirect, render_template, request, stream_template
from werkzeug.wrappers import Response as Redirect

from qandai import links
from qandai.answer import Answer, Done, Found, Heard
from qandai.model import Excerpt
from qandai.site import Site
from qandai.web import openapi, views
from qandai.web.answer_page import AnswerPage, answer_page
from qandai.web.desk import Desk, Following, Reply
from qandai.web.essay_view import MORE, Writing, essay_parts
from qandai.web.limits import Limits
from qandai.web.requests import AskRequest, HistoryGiven, Moment, asked_by, clean, parse, parse_json


def pages(site: Site, desk: Desk, limits: Limits) -> Blueprint:
    blueprint = Blueprint("pages", __name__)
    lead = site.settings.lead_seconds

    @blueprint.get("/")
    def people() -> str:
        cards = tuple(views.person_view(profile) for profile in desk.people())
        return render_template("people.html", page=views.PeoplePage(cards))

    @blueprint.route("/<slug>", methods=["GET", "POST"])
    def person(slug: str) -> str | Response:
        """The script posts: it knows what was asked before, which no address holds."""
        profile = desk.profile(slug)
        question, moment = str(clean(request.args.get("q", ""))), _moment()
        if not question and moment is None:
            return render_template("person.html", page=views.person_page(profile))
        template = "_answer.html" if request.args.get("fragment") else "answer.html"
        who = views.person_view(profile)
        reply, writing, following = None, None, None
        if question:
            asked = _asked(slug, moment)
            limits.count()
            following = desk.follow(asked)
            after_this_request(partial(_close_with, following))
            reply, writing = _heard(following)
        clip = desk.moment(slug, moment) if moment else None
        page = answer_page(who, question, reply, clip, wanted=moment, lead=lead)
        if following is None or writing is None:
            return render_template(template, page=page)
        return _streamed(template, replace(page, essay=essay_parts(slug, page.asked, writing, following, lead=lead)))

    @blueprint.get("/<slug>/")
    def slashed(slug: str) -> Redirect:
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


def _asked(slug: str, moment: Moment | None) -> AskRequest:
    """Who follows a link to a moment has read the answer. Raises Malformed."""
    history = parse_json(HistoryGiven, request.get_data()).history if request.method == "POST" else ()
    asked = asked_by(request.args, person=slug, history=history)
    return asked if moment is None or asked.mode == "sources" else asked.model_copy(update={"mode": "clip"})


def _heard(following: Following) -> tuple[Reply, Writing | None]:
    """What is known when the clip is, and the text that is still to come beside it."""
    found: tuple[Excerpt, ...] = ()
    for event in following:
        if isinstance(event, Found):
            found = event.excerpts
        elif isinstance(event, Done):
            return following.reply(event.result), None
        elif isinstance(event, Heard) and isinstance(event.result, Answer) and event.result.making.mode == "synthesis":
            return following.reply(event.result), Writing(event.result, found)
    return following.reply(found), None


def _close_with(following: Following, response: Response) -> Response:
    """Also where the answer became an error page, or the visitor never took the first byte of it."""
    response.call_on_close(following.close)
    return response


def _streamed(template: str, page: AnswerPage) -> Response:
    """Sends what there is wherever the page says that more is being written."""
    drawn = stream_template(template, page=page)
    return Response(_parts(drawn), mimetype="text/html", headers={"X-Accel-Buffering": "no"})


def _parts(drawn: Iterator[str]) -> Iterator[str]:
    held: list[str] = []
    for piece in drawn:
        held.append(piece)
        if MORE in piece:
            yield "".join(held)
            held.clear()
    yield "".join(held)


def _moment(video_id: str | None = None) -> Moment | None:
    """The clip that the address holds, if any. Raises Malformed."""
    args = request.args
    video = video_id or args.get("v")
    if not video or not args.get("t"):
        return None
    return parse(Moment, {"v": video, "t": args["t"], "end": args.get("end") or None})
