from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.web.conftest import Bench

QUESTION = {"person": "ann", "question": "How do bees dance?"}
PAGE = "/ann?q=How+do+bees+dance%3F"


def status(bench: Bench, path: str = "/api/ask", *, who: str = "192.0.2.1", **given: object) -> int:
    given = given or dict(QUESTION)
    return bench.client.post(path, json=given, environ_overrides={"REMOTE_ADDR": who}).status_code


def visit(bench: Bench, path: str, *, who: str = "192.0.2.1") -> int:
    with bench.client.get(path, environ_overrides={"REMOTE_ADDR": who}) as response:
        return response.status_code


def test_every_way_to_ask_counts_and_the_next_question_is_refused(bench: Callable[..., Bench]) -> None:
    made = bench(limit_visitor=6)
    assert status(made) == 200
    assert status(made, "/api/ask/stream") == 200
    assert status(made, "/api/search") == 200
    assert visit(made, "/api/ask/stream?person=ann&q=How+do+bees+dance") == 200
    assert visit(made, PAGE) == 200
    assert visit(made, PAGE + "&v=talk1&t=9.70&end=18.00") == 200
    refused = made.client.post("/api/ask", json=QUESTION, environ_overrides={"REMOTE_ADDR": "192.0.2.1"})
    assert refused.status_code == 429
    error = refused.get_json()["error"]
    assert error["code"] == "too_many"
    assert error["message"].startswith("You have asked 6 questions in a minute")
    wait = int(refused.headers["Retry-After"])
    assert 55 <= wait <= 60
    assert f"{wait} s" in error["hint"]
    assert [status(made, path) for path in ("/api/ask/stream", "/api/search")] == [429, 429]
    assert [visit(made, path) for path in (PAGE, PAGE + "&fragment=1", PAGE + "&v=talk1&t=9.70")] == [429] * 3


def test_what_costs_nothing_is_never_refused(bench: Callable[..., Bench]) -> None:
    made = bench(limit_visitor=1)
    assert visit(made, PAGE) == 200
    for path in ("/", "/ann", "/ann?v=talk1&t=9.70&end=18.00", "/ann/videos/talk1", "/api/people", "/health", "/docs"):
        assert visit(made, path) == 200


def test_what_cannot_be_read_counts_for_nobody(bench: Callable[..., Bench]) -> None:
    made = bench(limit_visitor=1)
    assert status(made, person="ann", question="") == 422
    assert visit(made, "/ann?q=bees&from=yesterday") == 422
    assert status(made) == 200


def test_the_page_says_in_words_how_long_to_wait(bench: Callable[..., Bench]) -> None:
    made = bench(limit_visitor=1)
    assert made.client.get(PAGE).status_code == 200
    page = made.client.get(PAGE)
    assert page.status_code == 429
    text = page.get_data(as_text=True)
    wait = page.headers["Retry-After"]
    assert f"Please wait {wait} s and ask again." in text
    assert f'data-wait="{wait}"' in text
    fragment = made.client.get(PAGE + "&mode=clip&fragment=1").get_data(as_text=True)
    assert 'href="/ann?q=How+do+bees+dance%3F&amp;mode=clip"' in fragment


def test_one_visitor_takes_nothing_from_another(bench: Callable[..., Bench]) -> None:
    made = bench(limit_visitor=2, limit_site=4)
    assert [status(made, who="192.0.2.1") for _ in range(9)] == [200, 200] + [429] * 7
    assert [status(made, who="192.0.2.2") for _ in range(2)] == [200, 200]


def test_the_whole_site_has_a_limit_that_takes_nothing_from_a_visitor(bench: Callable[..., Bench]) -> None:
    made = bench(limit_visitor=2, limit_site=3)
    for place in range(3):
        assert status(made, who=f"192.0.2.{place}") == 200
    refused = made.client.post("/api/ask", json=QUESTION, environ_overrides={"REMOTE_ADDR": "192.0.2.9"})
    assert refused.status_code == 429
    assert refused.get_json()["error"]["message"].startswith("Many people are asking: 3 questions")
    assert 55 <= int(refused.headers["Retry-After"]) <= 60


def test_a_crowd_at_one_moment_gets_exactly_as_many_answers(bench: Callable[..., Bench]) -> None:
    made = bench(limit_visitor=7, limit_site=0)
    client = made.client.application.test_client
    with ThreadPoolExecutor(12) as visitors:
        codes = list(visitors.map(lambda _: client().post("/api/search", json=QUESTION).status_code, range(40)))
    assert codes.count(200) == 7


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("fe80::1%eth0", "fe80::2", True),
        ("", "", True),
    ],
)
def test_a_household_is_one_visitor(bench: Callable[..., Bench], one: str, other: str, same: bool) -> None:
    made = bench(limit_visitor=1)
    assert status(made, who=one) == 200
    assert status(made, who=other) == (429 if same else 200)


def test_nothing_is_limited_where_the_limits_are_nought(bench: Callable[..., Bench]) -> None:
    made = bench(limit_visitor=0, limit_site=0)
    assert {status(made) for _ in range(150)} == {200}
