"""A text from the whole archive is shown while it is written, beside a clip that plays already."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event as Flag

import pytest
from playwright.sync_api import Page, expect

from qandai.answer import Done, Event, Heard, Making, Resolved, Summed, Wrote
from qandai.chat import Trouble
from qandai.leaving import Leaving
from qandai.model import Question, Video
from qandai.settings import Settings
from qandai.site import Site
from qandai.web.app import create_app
from tests.browser.conftest import Visit, make_home, serving, until
from tests.build import row
from tests.fakes import MemoryPeople, MemoryShelf, MemoryShelves, ScriptedAsker
from tests.web.conftest import ANN
from tests.web.telling import essay, events, open_to_all

Start = Callable[..., Visit]


def tube(video_id: str) -> Video:
    return Video(
        video_id, f"Talk {video_id[0]}", "youtube", f"https://www.youtube.com/watch?v={video_id}", "2026-04-01"
    )


SPANS = [
    row("Bees dance to tell the others where flowers grow.", video=tube("aaaaaaaaaaa"), at=10.0).whole(),
    row("Honey keeps for thousands of years.", video=tube("bbbbbbbbbbb"), at=20.0).whole(),
    row("On film the waggle dance looks slower than it really is.", video=tube("ccccccccccc"), at=30.0).whole(),
]


class Dialogue(ScriptedAsker):
    """Answers every question with the same text, one part whenever it is let."""

    def __init__(self, shelves: MemoryShelves) -> None:
        super().__init__(shelves)
        self.gates = [Flag() for _ in range(3)]
        self.trouble: Trouble | None = None

    def stream(self, question: Question, leaving: Leaving | None = None) -> Generator[Event, None, None]:
        self.asked.append(question)
        try:
            yield from self._told(question)
        finally:
            self.closed += 1

    def _told(self, question: Question) -> Iterator[Event]:
        understood = f"{question.text.rstrip('?')} of bees?" if question.history else None
        whole = essay(SPANS)
        making = Making(mode="synthesis", understood_as=understood, model="a-model")
        whole = replace(whole, question=question, making=making)
        if question.mode == "clip":
            short = replace(whole, essay=None, making=Making())
            if self.trouble:
                short = replace(short, making=Making(troubles=(self.trouble,), lacking=("clip",)))
            yield from (Resolved(short.making), Heard(short), Done(short))
            return
        gates = iter(self.gates)
        for event in events(whole):
            if isinstance(event, Wrote | Summed):
                next(gates).wait(20)
            yield event


@dataclass(slots=True)
class Stage:
    address: str
    asker: Dialogue
    shelves: MemoryShelves

    def go_on(self) -> None:
        next(gate for gate in self.asker.gates if not gate.is_set()).set()


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    shelves = MemoryShelves({"ann": MemoryShelf(*SPANS)})
    asker = Dialogue(shelves)
    settings = Settings(home=tmp_path, limit_visitor=0, limit_site=0)
    with open_to_all(create_app(Site(asker, shelves, MemoryPeople(ANN), settings)), threads=16) as port:
        yield Stage(f"http://127.0.0.1:{port}", asker, shelves)
        for gate in asker.gates:
            gate.set()


def ask(page: Page, question: str) -> None:
    page.get_by_role("searchbox").fill(question)
    page.get_by_role("button", name="Ask").click()


PLACE = "(({ offsetTop, offsetHeight }) => [offsetTop, offsetHeight])(document.querySelector('qa-clip'))"
LINES = "document.querySelectorAll('[data-line]').length"


def test_the_clip_is_there_at_once_and_the_text_comes_sentence_by_sentence(stage: Stage, visit: Start) -> None:
    page = visit(at=stage.address).open("/ann")
    ask(page, "How do they dance?")
    until(page, "document.querySelector('qa-clip')?.dataset.state === 'playing'")
    assert page.evaluate(LINES) == 0
    assert page.locator("[data-answer]").get_attribute("aria-busy") == "false"
    expect(page.locator("[data-status]")).to_have_text(
        "The moment is here. A text from the whole archive is being written."
    )
    place = page.evaluate(PLACE)
    stage.go_on()
    until(page, f"{LINES} === 1")
    page.locator(".cite").first.focus()
    stage.go_on()
    until(page, f"{LINES} === 2")
    assert page.evaluate("document.activeElement.className") == "cite"
    assert page.locator("[data-end]").count() == 0
    stage.go_on()
    expect(page.locator("[data-end]")).to_contain_text("Drawn from 2 of 3 recordings.")
    expect(page.locator("[data-status]")).to_have_text("The answer is here.")
    expect(page.locator(".more .moments li")).to_have_count(2)
    assert page.evaluate(PLACE) == place
    assert page.evaluate("window.players.length") == 1


def test_a_number_plays_its_own_second_and_the_text_stays(stage: Stage, visit: Start) -> None:
    for gate in stage.asker.gates:
        gate.set()
    page = visit(at=stage.address).open("/ann?q=How+do+they+dance&mode=synthesis")
    until(page, f"{LINES} === 2")
    address = page.url
    page.get_by_role("link", name="Source 3").first.click()
    until(page, "document.querySelector('qa-clip')?.getAttribute('start') === '29.7'")
    expect(page.locator(".quote")).to_contain_text("On film the waggle dance")
    assert page.evaluate(LINES) == 2
    assert page.url == address
    until(page, "document.querySelector('qa-clip').dataset.state === 'playing'")
    assert page.locator(".cite[aria-current]").inner_text() == "3"
    assert len(stage.asker.asked) == 1


def test_a_number_plays_while_the_text_is_still_being_written(stage: Stage, visit: Start) -> None:
    page = visit(at=stage.address).open("/ann")
    ask(page, "How do they dance?")
    stage.go_on()
    until(page, f"{LINES} === 1")
    page.locator(".cite").last.click()
    until(page, "document.querySelector('qa-clip').getAttribute('recording') === 'ccccccccccc'")
    stage.go_on()
    stage.go_on()
    expect(page.locator("[data-end]")).to_contain_text("Drawn from 2 of 3 recordings.")
    assert page.evaluate(LINES) == 2
    assert page.locator("qa-clip").get_attribute("recording") == "ccccccccccc"


def test_a_new_question_ends_the_text_that_is_being_written(stage: Stage, visit: Start) -> None:
    page = visit(at=stage.address).open("/ann")
    ask(page, "How do they dance?")
    expect(page.locator("qa-clip")).to_be_visible()
    page.get_by_role("link", name="Find the moment").click()
    until(page, "!document.querySelector('[data-essay]')")
    stage.go_on()
    page.wait_for_timeout(2500)  # until the server learns of it
    for gate in stage.asker.gates:
        gate.set()
    expect(page.locator("qa-clip")).to_be_visible()
    assert page.evaluate(LINES) == 0
    assert stage.asker.closed == 2
    assert stage.shelves.borrowed == 0


def test_a_follow_up_says_what_it_was_understood_as_and_gets_its_address(stage: Stage, visit: Start) -> None:
    for gate in stage.asker.gates:
        gate.set()
    page = visit(at=stage.address).open("/ann")
    ask(page, "How do they dance?")
    until(page, f"{LINES} === 2")
    ask(page, "What about film?")
    expect(page.get_by_text("Understood as: What about film of bees?")).to_be_visible()
    turns = stage.asker.asked[1].history
    assert [(turn.question, turn.video_id) for turn in turns] == [("How do they dance?", "aaaaaaaaaaa")]
    assert page.url.endswith("/ann?q=What+about+film+of+bees%3F")
    ask(page, "And then?")
    until(page, "document.querySelector('[data-answer] h1').textContent === 'And then?'")
    assert [turn.question for turn in stage.asker.asked[2].history] == [
        "How do they dance?",
        "What about film of bees?",
    ]
    page.go_back()
    expect(page.locator("[data-answer] h1")).to_have_text("What about film of bees?")
    assert stage.asker.asked[3].history == ()
    page.go_back()
    expect(page.locator("[data-answer] h1")).to_have_text("How do they dance?")
    ask(page, "And now?")
    until(page, "document.querySelector('[data-answer] h1').textContent === 'And now?'")
    assert [turn.question for turn in stage.asker.asked[5].history] == ["How do they dance?"]


def test_a_follow_up_that_failed_is_asked_again_with_what_was_asked_before(stage: Stage, visit: Start) -> None:
    for gate in stage.asker.gates:
        gate.set()
    visitor = visit(at=stage.address)
    page = visitor.open("/ann")
    ask(page, "How do they dance?")
    until(page, f"{LINES} === 2")
    page.route("**/ann?**", lambda route: route.abort(), times=1)
    ask(page, "What about film?")
    page.get_by_role("link", name="Ask again").click()
    expect(page.get_by_text("Understood as: What about film of bees?")).to_be_visible()
    page.route("**/ann?**", lambda route: route.abort(), times=1)
    ask(page, "And then?")
    expect(page.locator("[data-answer]")).to_contain_text("The site cannot be reached.")
    ask(page, "And now?")
    until(page, "document.querySelector('[data-answer] h1')?.textContent === 'And now?'")
    asked = [[turn.question for turn in question.history] for question in stage.asker.asked]
    visitor.faults[:] = [fault for fault in visitor.faults if "ERR_FAILED" not in fault]
    assert asked == [[], ["How do they dance?"], ["How do they dance?", "What about film of bees?"]]


def test_without_the_script_the_same_page_is_sent_as_it_is_written(stage: Stage, visit: Start) -> None:
    page = visit(at=stage.address, java_script_enabled=False).page
    page.goto(stage.address + "/ann?q=How+do+they+dance&mode=synthesis", wait_until="commit")
    expect(page.locator("qa-clip .quote")).to_be_visible()
    for gate in stage.asker.gates:
        gate.set()
    expect(page.locator("[data-end]")).to_be_visible()


def test_a_page_that_is_opened_plays_before_its_text_is_whole(stage: Stage, visit: Start) -> None:
    page = visit(at=stage.address).page
    page.goto(stage.address + "/ann?q=How+do+they+dance&mode=synthesis", wait_until="commit")
    until(page, "document.querySelector('qa-clip')?.dataset.state === 'cued'")
    assert page.evaluate("document.readyState") == "loading"
    ask(page, "Something else?")  # before it is whole
    until(page, "document.querySelector('[data-answer] h1').textContent === 'Something else?'")
    for gate in stage.asker.gates:
        gate.set()
    until(page, f"{LINES} === 2")
    assert page.locator("[data-essay]").count() == 1
    assert page.locator(".more").count() == 1


def test_a_busy_model_counts_down_and_offers_to_ask_again(stage: Stage, visit: Start) -> None:
    stage.asker.trouble = Trouble("select", "a-model", "spent", "wait", 2.0)
    page = visit(at=stage.address).open("/ann?q=How+do+they+dance&mode=clip")
    note = page.locator(".note")
    expect(note).to_contain_text("The language model is busy for another 1 s.")
    expect(note.get_by_role("link", name="Ask again")).to_be_visible()
    stage.asker.trouble = None
    note.get_by_role("link", name="Ask again").click()
    until(page, "!document.querySelector('.note')")


def test_a_phone_shows_all_of_it(stage: Stage, visit: Start) -> None:
    for gate in stage.asker.gates:
        gate.set()
    page = visit(at=stage.address, width=360, height=740).open("/ann?q=How+do+they+dance&mode=synthesis")
    until(page, f"{LINES} === 2")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_whole_path_writes_a_text_whose_numbers_play(
    visit: Start, tmp_path: Path, lend: Callable[[Path], None]
) -> None:
    """The real program, with a model that only repeats what it was shown."""
    lend(make_home(tmp_path))
    with serving(tmp_path, QANDAI_LLM="echo") as address:
        page = visit(at=address).open("/guide")
        ask(page, "Why do names get lost in a search by meaning?")
        page.get_by_role("link", name="Answer from the whole archive").click()
        expect(page.locator("[data-end]")).to_contain_text("Drawn from", timeout=60_000)
        assert page.evaluate(LINES) >= 1
        page.locator(".cite").first.click()
        until(page, "document.querySelector('qa-clip').dataset.state === 'playing'")
        cited = page.locator(".cite[aria-current]").get_attribute("href") or ""
        assert f"&t={clip_start(page):.2f}&" in cited
        page.goto("about:blank")  # before the site closes


def clip_start(page: Page) -> float:
    return float(page.locator("qa-clip").get_attribute("start") or -1)
