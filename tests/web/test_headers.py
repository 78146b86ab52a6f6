from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from qandai.model import RESERVED_SLUGS
from qandai.site import Youtube
from qandai.web.headers import security_headers

PATHS = [
    "/",
    "/ann",
    "/ann?q=bees+dance",
    "/api/people",
    "/nobody",
    "/media/ann/talk1",
    "/static/js/main.mjs",
    "/health",
]


@pytest.mark.parametrize("path", PATHS)
def test_every_response_is_guarded_and_numbered(client: FlaskClient, path: str) -> None:
    headers = client.get(path, buffered=True).headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert policy["script-src"] == "'self' https://www.youtube.com"
    assert policy["style-src"] == "'self'"
    assert policy["frame-src"] == "https://www.youtube.com https://www.youtube-nocookie.com"
    assert policy["frame-ancestors"] == "'none'"
    assert headers["Referrer-Policy"] == "strict-origin-when-cross-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert 'autoplay=(self "https://www.youtube.com"' in headers["Permissions-Policy"]
    assert headers["X-Request-ID"] == "made-by-the-site"
    assert "Strict-Transport-Security" not in headers
    assert "Cross-Origin-Embedder-Policy" not in headers


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a1b2c3d4", True),
        ("0f8fad5b-d9cb-469f-a165-70867728950e", True),
        ("short", False),
        ("x" * 65, False),
        ("has space", False),
        ("abcdefgh\u00e9", False),
    ],
)
def test_a_request_id_is_kept_if_it_is_a_safe_one(client: FlaskClient, given: str, kept: bool) -> None:
    response = client.get("/api/people/bob", headers={"X-Request-ID": given})
    assert response.headers["X-Request-ID"] == (given if kept else "made-by-the-site")
    assert response.get_json()["request_id"] == response.headers["X-Request-ID"]


def test_https_asks_browsers_to_stay_with_it(client: FlaskClient) -> None:
    assert "max-age" in client.get("/", base_url="https://localhost").headers["Strict-Transport-Security"]


def test_another_home_of_the_player_is_let_in_by_name() -> None:
    policy = security_headers(Youtube("https://stand-in.example/api.js", "https://stand-in.example"))
    assert "script-src 'self' https://www.youtube.com https://stand-in.example;" in policy["Content-Security-Policy"]
    assert "https://stand-in.example" in policy["Permissions-Policy"]


def test_no_page_of_the_site_can_be_a_persons_name(client: FlaskClient) -> None:
    first = {rule.rule.split("/")[1] for rule in client.application.url_map.iter_rules()} - {"", "<slug>"}
    assert {name.partition(".")[0] for name in first} <= RESERVED_SLUGS
