"""The OpenAPI 3.1 document, made from the models that parse and answer; /docs shows the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from qandai import __version__
from qandai.web import requests, schemas

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """`path` as OpenAPI writes it; `errors` are the statuses besides the common ones."""

    method: Literal["get", "post"]
    path: str
    about: str
    answer: type[BaseModel]
    given: type[BaseModel] | None = None
    errors: tuple[int, ...] = ()
    status: int = 200
    also: tuple[int, ...] = ()
    """Statuses besides `status` that carry the answer's own shape."""
    events: tuple[tuple[str, type[BaseModel]], ...] = ()
    """Server-sent events by name, each with its data, of which the last is `answer`; none where it comes at once."""
    query: tuple[str, ...] = ()
    """Arguments of the address."""


_PARTS: tuple[tuple[str, type[BaseModel]], ...] = (
    ("mode", schemas.ModeEvent),
    ("sources", schemas.SourcesEvent),
    ("clip", schemas.ClipEvent),
    ("text", schemas.TextEvent),
    ("meta", schemas.Meta),
    ("done", schemas.AskResponse),
    ("error", schemas.ErrorResponse),
)
_STREAM = (
    "The same as server-sent events: each part as soon as it is there, in this order, and the whole as the last. "
    "What goes wrong on the way is the last event instead. "
)

OPERATIONS = (
    Operation("get", "/api/people", "Everybody who can be asked.", schemas.PeopleResponse),
    Operation(
        "get",
        "/api/people/{slug}",
        "One person, with coverage and recordings.",
        schemas.PersonDetail,
        errors=(404, 503),
    ),
    Operation(
        "post",
        "/api/ask",
        "Answers a question with a clip of the recordings. That they never said it is an answer too (refused).",
        schemas.AskResponse,
        requests.AskRequest,
        errors=(404, 413, 422, 429, 502, 503),
    ),
    Operation(
        "post",
        "/api/ask/stream",
        _STREAM + "Leaving ends the calls of language models.",
        schemas.AskResponse,
        requests.AskRequest,
        errors=(404, 413, 422, 429, 503),
        events=_PARTS,
    ),
    Operation(
        "get",
        "/api/ask/stream",
        _STREAM + "For EventSource, to be closed at the last; source may be given several times.",
        schemas.AskResponse,
        errors=(404, 422, 429, 503),
        events=_PARTS,
        query=("person", "q", "mode", "from", "to", "source"),
    ),
    Operation(
        "post",
        "/api/search",
        "The passages nearest to a question. Never calls a language model.",
        schemas.SearchResponse,
        requests.SearchRequest,
        errors=(404, 413, 422, 429, 503),
    ),
    Operation(
        "get",
        "/api/people/{slug}/videos/{video_id}/transcript",
        "A whole recording as timed words, seconds.",
        schemas.TranscriptResponse,
        errors=(404, 503),
    ),
    Operation(
        "post",
        "/api/feedback",
        "What a page reports: a recording that does not play, a thumb, a line that was heard wrongly.",
        schemas.FeedbackResponse,
        requests.FeedbackGiven,
        errors=(404, 413, 422, 429, 503),
        status=202,
    ),
    Operation("get", "/health", "The process is up. Reads nothing.", schemas.HealthResponse),
    Operation(
        "get",
        "/ready",
        "Whether questions can be answered: nobody is being indexed and at least one person is ready.",
        schemas.ReadyResponse,
        also=(503,),
    ),
)

_ERRORS = {
    404: "Unknown person or recording.",
    413: "The body is larger than 64 KB.",
    422: "Malformed: the message names the field.",
    429: "Too many questions; Retry-After says when to ask again.",
    502: "A provider failed and there was nothing to fall back on.",
    503: "Busy, or still being indexed; Retry-After says when to ask again.",
}


@cache
def document() -> Json:
    """The OpenAPI 3.1 document; made once and not to be changed."""
    given = {operation.given for operation in OPERATIONS if operation.given}
    answers = {operation.answer for operation in OPERATIONS} | {schemas.ErrorResponse} | {data for _, data in _PARTS}
    wanted: list[tuple[type[BaseModel], Literal["validation", "serialization"]]] = [
        *((model, "validation") for model in sorted(given, key=lambda model: model.__name__)),
        *((model, "serialization") for model in sorted(answers, key=lambda model: model.__name__)),
    ]
    _, definitions = models_json_schema(wanted, ref_template="#/components/schemas/{model}")
    paths: dict[str, Json] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Q&AI",
            "version": __version__,
            "description": "Ask a person's recordings a question and get the second where they answer it.",
        },
        "paths": paths,
        "components": {"schemas": definitions["$defs"]},
    }


def _operation(operation: Operation) -> Json:
    made: Json = {
        "summary": operation.about,
        "operationId": f"{operation.method}_{operation.path.strip('/').translate(str.maketrans('/', '_', '{}'))}",
        "responses": {
            str(operation.status): _events(operation) if operation.events else _body("As asked.", operation.answer),
            **{str(status): _body("Not now.", operation.answer) for status in operation.also},
            **{str(status): _body(_ERRORS[status], schemas.ErrorResponse) for status in operation.errors},
        },
    }
    names = [part[1:-1] for part in operation.path.split("/") if part.startswith("{")]
    if names or operation.query:
        made["parameters"] = [
            *({"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names),
            *(
                {"name": name, "in": "query", "required": name in _NEEDED, "schema": _argument(name)}
                for name in operation.query
            ),
        ]
    if operation.given:
        made["requestBody"] = {"required": True, "content": _content(operation.given)}
    return made


_NEEDED = ("person", "q")


def _argument(name: str) -> Json:
    return {"type": "array", "items": {"type": "string"}} if name == "source" else {"type": "string"}


def _events(operation: Operation) -> Json:
    """OpenAPI has no words for events: their names and data are told beside it."""
    return {
        "description": "Events: " + ", ".join(f"{name} ({data.__name__})" for name, data in operation.events) + ".",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
        "x-events": {name: _ref(data) for name, data in operation.events},
    }


def _ref(model: type[BaseModel]) -> Json:
    return {"$ref": f"#/components/schemas/{model.__name__}"}


def _body(about: str, model: type[BaseModel]) -> Json:
    return {"description": about, "content": _content(model)}


def _content(model: type[BaseModel]) -> Json:
    return {"application/json": {"schema": _ref(model)}}


@dataclass(frozen=True, slots=True)
class Shape:
    """A schema in words: (field, type, required)."""

    name: str
    about: str
    fields: tuple[tuple[str, str, bool], ...]


@dataclass(frozen=True, slots=True)
class DocsPage:
    operations: tuple[Operation, ...]
    shapes: tuple[Shape, ...]


def page() -> DocsPage:
    made = document()["components"]["schemas"]
    return DocsPage(OPERATIONS, tuple(_shape(name, made[name]) for name in sorted(made)))


def _shape(name: str, schema: Mapping[str, Any]) -> Shape:
    required = schema.get("required", [])
    fields = tuple((field, _type(spec), field in required) for field, spec in schema.get("properties", {}).items())
    return Shape(name, str(schema.get("description", "")), fields)


def _type(spec: Mapping[str, Any]) -> str:
    if "$ref" in spec:
        return str(spec["$ref"]).rpartition("/")[2]
    if "anyOf" in spec or "oneOf" in spec:
        return " or ".join(_type(option) for option in spec.get("anyOf", spec.get("oneOf", [])))
    if "enum" in spec:
        return " or ".join(str(value) for value in spec["enum"])
    if "const" in spec:
        return str(spec["const"])
    if spec.get("type") == "array":
        return f"list of {_type(spec.get('items', {}))}"
    if spec.get("type") == "object" and isinstance(spec.get("additionalProperties"), Mapping):
        return f"{_type(spec['additionalProperties'])} by name"
    return str(spec.get("format", spec.get("type", "anything")))
