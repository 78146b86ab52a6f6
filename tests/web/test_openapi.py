from __future__ import annotations

import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from qandai.web.openapi import document

DOCUMENT = document()


def validator(name: str) -> Draft202012Validator:
    registry: Any = Registry().with_resource("doc", Resource(DOCUMENT, DRAFT202012))
    return Draft202012Validator({"$ref": f"doc#/components/schemas/{name}"}, registry=registry)


def test_every_schema_is_one_and_every_reference_leads_somewhere() -> None:
    names = set(DOCUMENT["components"]["schemas"])
    for schema in DOCUMENT["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    assert set(re.findall(r"#/components/schemas/(\w+)", repr(DOCUMENT))) <= names
    assert DOCUMENT["openapi"].startswith("3.1")


def test_the_document_and_the_routes_are_the_same(client: FlaskClient) -> None:
    rules = client.application.url_map.iter_rules()
    routes = {
        (method.lower(), re.sub(r"<(\w+)>", r"{\1}", rule.rule))
        for rule in rules
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/api/") or rule.rule in ("/health", "/ready")
    }
    assert routes == {(method, path) for path, item in DOCUMENT["paths"].items() for method in item}


@pytest.mark.parametrize(
    ("method", "path", "given", "shape"),
    [
        ("get", "/api/people", None, "PeopleResponse"),
        ("get", "/api/people/ann", None, "PersonDetail"),
        ("post", "/api/ask", {"person": "ann", "question": "How do bees dance?"}, "AskResponse"),
        ("post", "/api/ask", {"person": "ann", "question": "Never said anywhere"}, "AskResponse"),
        ("post", "/api/ask", {"person": "ann", "question": "the waggle dance on film"}, "AskResponse"),
        ("post", "/api/search", {"person": "ann", "question": "bees"}, "SearchResponse"),
        ("get", "/api/people/ann/videos/talk1/transcript", None, "TranscriptResponse"),
        ("get", "/health", None, "HealthResponse"),
        ("get", "/ready", None, "ReadyResponse"),
        ("post", "/api/ask", {}, "ErrorResponse"),
        ("get", "/api/people/bob", None, "ErrorResponse"),
    ],
)
def test_what_is_answered_is_what_is_described(
    client: FlaskClient, method: str, path: str, given: object, shape: str
) -> None:
    response = client.open(path, method=method.upper(), json=given)
    validator(shape).validate(response.get_json())


def test_what_is_refused_is_described_as_wrong_too() -> None:
    described = validator("AskRequest")
    assert described.is_valid({"person": "ann", "question": "Why?"})
    for wrong in ({"question": "x" * 501}, {"top_k": 21}, {"mode": "loud"}, {"extra": 1}):
        assert not described.is_valid({"person": "ann", "question": "Why?", **wrong})


def test_the_document_and_its_page_are_served_and_the_page_lists_everything(client: FlaskClient) -> None:
    assert client.get("/openapi.json").get_json() == DOCUMENT
    page = client.get("/docs").get_data(as_text=True)
    for path in DOCUMENT["paths"]:
        assert path in page
    for name in DOCUMENT["components"]["schemas"]:
        assert f'id="{name}"' in page
