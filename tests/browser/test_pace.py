"""What a tick of the player costs the page: everything from its clock to the lit word and the scrolled line."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Visit, until

Start = Callable[..., Visit]

MOST_MS = 8.0
WATCHED = 6.0
"""Seconds of playing that are measured."""
PATIENCE = 90.0
"""Seconds: a machine with much else to do takes its time, and only ticks are measured here."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Milliseconds of processor time a tick, with the style and layout that our code forces. The clock of the wall
    would count what other processes take. `worst` are ticks that light another word or scroll to another line.

    `slow` is the third slowest, and what is judged: garbage collection or a cache that another process emptied strikes
    one tick or two of the hundreds, while code that is too slow strikes every one that lights a word."""

    ticks: int
    median: float
    slow: float
    worst: float

    def __str__(self) -> str:
        return (
            f"median {self.median:.2f} ms, third slowest {self.slow:.2f}, worst {self.worst:.2f} ({self.ticks} ticks)"
        )


def pace(page: Page) -> Pace:
    browser = page.context.browser
    assert browser
    until(page, "document.querySelector('qa-clip').dataset.state === 'playing'", seconds=PATIENCE)
    page.wait_for_timeout(1000)  # the first scroll, and the seek that corrects a keyframe
    browser.start_tracing(page=page, categories=["devtools.timeline"])
    page.wait_for_timeout(WATCHED * 1000)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    # A frame of the page; the poll that keeps a clip's end fires as a timer.
    ours = [event for event in events if event["name"] in ("FireAnimationFrame", "TimerFire") and event["ph"] == "X"]
    ticks = sorted(event.get("tdur", event["dur"]) / 1000 for event in ours)
    assert len(ticks) > 10
    return Pace(len(ticks), statistics.median(ticks), ticks[-3], ticks[-1])


def opened(tab: Visit, path: str) -> Page:
    tab.page.set_default_timeout(1000 * PATIENCE)
    return tab.open(path)


def lit(page: Page) -> int:
    return int(
        page.evaluate("[...document.querySelectorAll('[data-times] span')].findIndex((word) => word.matches('.lit'))")
    )


def test_a_tick_on_a_transcript_of_thirty_thousand_words(visit: Start, capsys: pytest.CaptureFixture[str]) -> None:
    page = opened(visit(), "/long/videos/long")
    assert page.locator("[data-times] span").count() > 30_000
    for word in (10, 15_000, 29_900):
        page.evaluate(f"document.querySelectorAll('[data-times] span')[{word}].click()")
        found = pace(page)
        assert word < lit(page) < word + 500
        with capsys.disabled():
            print(f"\ntick at word {word:,} of 30,000: {found}")  # noqa: T201 # the figure itself
        assert found.slow < MOST_MS


def test_a_tick_on_the_answer_page(visit: Start, capsys: pytest.CaptureFixture[str]) -> None:
    page = opened(visit(), "/long?q=A+very+long+talk")
    page.evaluate("void document.querySelector('qa-clip').play()")
    found = pace(page)
    with capsys.disabled():
        print(f"\ntick on the answer page: {found}")  # noqa: T201 # the figure itself
    assert found.slow < MOST_MS
