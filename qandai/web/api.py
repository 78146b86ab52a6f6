"""The JSON interface. /openapi.json and /docs describe it."""

from __future__ import annotations

from flask import Blueprint, Response, g, jsonify, request
from pydantic import BaseModel

from qandai.site import Site
from qandai.web import answers, openapi, stream
from qandai.web.desk import Desk
from qandai.web.limits import Limits
from qandai.web.requests import AskRequest, FeedbackGiven, SearchRequest, asked_by, parse_json
from qandai.web.schemas import FeedbackResponse, HealthResponse, PeopleResponse


def api(site: Site, desk: Desk, limits: Limits) -> Blueprint:
    blueprint = Blueprint("api", __name__)
    described = openapi.document()

    @blueprint.get("/api/people")
    def people() -> Response:
        return _json(PeopleResponse(people=[answers.person_of(profile) for profile in desk.people()]))

    @blueprint.get("/api/people/<slug>")
    def person(slug: str) -> Response:
        return _json(answers.person_detail(desk.profile(slug)))

    @blueprint.post("/api/ask")
    def ask() -> Response:
        asked = parse_json(AskRequest, request.get_data())
        limits.count()
        return _json(answers.ask_response(desk.ask(asked), g.request_id))

    @blueprint.route("/api/ask/stream", methods=["GET", "POST"])
    def ask_stream() -> Response:
        given = request.method == "POST"
        asked = parse_json(AskRequest, request.get_data()) if given else asked_by(request.args)
        limits.count()
        return stream.sent(desk.follow(asked), g.request_id)

    @blueprint.post("/api/search")
    def search() -> Response:
        asked = parse_json(SearchRequest, request.get_data())
        limits.count()
        return _json(answers.search_response(desk.ask(asked.ask()), g.request_id))

    @blueprint.get("/api/people/<slug>/videos/<video_id>/transcript")
    def transcript(slug: str, video_id: str) -> Response:
        person, recording = desk.recording(slug, video_id)
        return _json(answers.transcript_response(person.slug, recording))

    @blueprint.post("/api/feedback")
    def feedback() -> Response:
        desk.keep(parse_json(FeedbackGiven, request.get_data()))
        return _json(FeedbackResponse(), status=202)

    @blueprint.get("/health")
    def health() -> Response:
        return _json(HealthResponse())

    @blueprint.get("/ready")
    def ready() -> Response:
        body = answers.ready_response(site.shelves.states())
        return _json(body, status=200 if body.ready else 503)

    @blueprint.get("/openapi.json")
    def describe() -> Response:
        return jsonify(described)

    return blueprint


def _json(body: BaseModel, *, status: int = 200) -> Response:
    response = Response(body.model_dump_json(), mimetype="application/json", status=status)
    response.headers["Cache-Control"] = "no-store"
    return response
