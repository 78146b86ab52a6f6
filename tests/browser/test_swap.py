"""The index is exchanged under open pages: what plays goes on, and what is asked next comes from the new one."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit, serving, talk, until

Start = Callable[..., Visit]
CITY = "Which bees find more kinds of flowers in a city?"
SHADE = "What does a hive on a roof need at noon?"
PATIENCE = 60.0


class Site:
    """One person, whose recordings are written anew while the site is open."""

    def __init__(self, home: Path) -> None:
        (home / "people").mkdir()
        (home / "transcripts" / "tube").mkdir(parents=True)
        (home / "people" / "tube.yaml").write_text("name: Bea Keeper\nembedding: minilm\n")
        self.home = home
        self.address = ""

    def write(self, *, later: float = 0.0, country: bool = True) -> None:
        """The city talk with everything `later` seconds on, and the country talk or not."""
        city = {
            12.34 + later: "Bees in a city find more kinds of flowers than bees in the open country do.",
            40.2 + later: "A hive on a roof needs shade at noon and water that never runs dry.",
        }
        self._put("aaaaaaaaaaa", talk("aaaaaaaaaaa", "City bees", city, source="youtube"))
        flowers = {5.6: "Country bees meet one kind of flowers at a time, because fields are sown with one crop."}
        self._put("bbbbbbbbbbb", talk("bbbbbbbbbbb", "Country bees", flowers, source="youtube") if country else None)

    def _put(self, video: str, transcript: dict[str, Any] | None) -> None:
        path = self.home / "transcripts" / "tube" / f"{video}.json"
        if transcript is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text(json.dumps(transcript))

    def index(self, tab: Visit, *words: str) -> None:
        """Until the server has noticed."""
        before = self._indexed(tab)
        subprocess.run(
            [sys.executable, "-m", "qandai", "--home", str(self.home), "index", "tube", *words],
            check=True,
            capture_output=True,
        )
        deadline = time.monotonic() + PATIENCE
        while self._indexed(tab) == before:
            assert time.monotonic() < deadline, "the new index was never noticed"
            tab.page.wait_for_timeout(100)

    def _indexed(self, tab: Visit) -> str:
        return str(tab.post("/api/search", person="tube", question=CITY)["coverage"]["indexed_at"])


@pytest.fixture
def site(tmp_path: Path, lend: Callable[[Path], None]) -> Iterator[Site]:
    lend(tmp_path)
    made = Site(tmp_path)
    made.write()
    with serving(tmp_path) as made.address:
        yield made


def ask(page: Page, question: str) -> None:
    page.get_by_role("searchbox").fill(question)
    page.get_by_role("button", name="Ask").click()


def clip_start(page: Page) -> float:
    return float(page.locator("qa-clip").get_attribute("start") or -1)


def clock(page: Page) -> float:
    return float(page.evaluate("window.players[0].getCurrentTime()"))


def test_an_open_page_plays_on_and_asks_the_new_index(visit: Start, site: Site) -> None:
    tab = visit(at=site.address)
    tab.page.set_default_timeout(1000 * PATIENCE)
    page = tab.open("/tube")
    ask(page, CITY)
    until(page, "document.querySelector('qa-clip')?.dataset.state === 'playing'", seconds=PATIENCE)
    assert clip_start(page) == 12.04
    old = page.url
    site.write(later=20.0, country=False)
    page.evaluate("document.querySelector('qa-clip').seek(12.4)")
    site.index(tab)
    assert page.locator(".quote").inner_text().startswith("Bees in a city")
    assert page.locator("qa-clip").get_attribute("data-state") in ("playing", "finished")
    assert clock(page) > 12.4
    # The moments that the page still offers: one of them is no longer there.
    page.locator(".moments a", has_text="Country bees").first.click()
    expect(page.get_by_text("The moment that this link held is no longer here.")).to_be_visible()
    ask(page, CITY)
    until(page, "document.querySelector('qa-clip')?.getAttribute('start') === '32.04'", seconds=PATIENCE)
    ask(page, SHADE)
    until(page, "document.querySelector('qa-clip')?.getAttribute('start') === '59.9'", seconds=PATIENCE)
    assert page.goto(old)
    assert clip_start(page) == 32.04
    site.write(later=0.0)
    site.index(tab, "--rebuild")
    page.get_by_role("link", name="Read on in the transcript").click()
    expect(page.locator("h1")).to_have_text("City bees")
    page.go_back()
    ask(page, CITY)
    until(page, "document.querySelector('qa-clip')?.getAttribute('start') === '12.04'", seconds=PATIENCE)
    expect(page.locator(".moments a", has_text="Country bees").first).to_be_visible()


def test_questions_that_cross_every_swap_are_all_answered(visit: Start, site: Site) -> None:
    tab = visit(at=site.address)
    tab.page.set_default_timeout(1000 * PATIENCE)
    page = tab.open("/tube")
    asked = page.evaluate_handle(
        """() => {
          const met = { starts: [], statuses: [] };
          const again = async () => {
            const response = await fetch("/tube?q=Which+bees+find+more+kinds+of+flowers+in+a+city&fragment=1");
            met.statuses.push(response.status);
            met.starts.push(/ start="([\\d.]+)"/.exec(await response.text())?.[1]);
            if (!met.stop) setTimeout(again, 20);
            else met.stopped = true;
          };
          again();
          return (window.met = met);
        }"""
    )
    shifts = (3.0, 6.0, 9.0)
    for later in shifts:
        site.write(later=later)
        site.index(tab)
        start = round(12.04 + later, 2)  # the question on its way may still be answered by the index before
        until(page, f"window.met.starts.some((told) => Number(told) === {start})", seconds=PATIENCE)
    page.evaluate("void (window.met.stop = true)")
    until(page, "window.met.stopped", seconds=PATIENCE)
    met = asked.json_value()
    assert set(met["statuses"]) == {200}
    starts = [float(start) for start in met["starts"]]
    assert starts == sorted(starts)  # never an older index after a newer one
    assert set(starts) == {round(12.04 + later, 2) for later in (0.0, *shifts)}


def test_what_a_player_refuses_reaches_the_server(visit: Start, site: Site) -> None:
    tab = visit(at=site.address, youtube={"error": 101})
    tab.page.set_default_timeout(1000 * PATIENCE)
    taken: list[int] = []
    tab.page.on("response", lambda response: taken.append(response.status) if "/api/feedback" in response.url else None)
    page = tab.open("/tube?q=Which+bees+find+more+kinds+of+flowers+in+a+city")
    page.get_by_role("button", name="Play").first.click()
    expect(page.locator("qa-clip")).to_have_attribute("data-state", "failed", timeout=1000 * PATIENCE)
    deadline = time.monotonic() + PATIENCE
    while not taken and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert taken == [202]
    assert (site.home / "store" / "qandai.sqlite3").exists()
