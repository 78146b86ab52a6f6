"""The page of an answer from the whole archive, without a script and as the script gets it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape

import pytest
from flask.testing import FlaskClient

from qandai.answer import Answer, Done, Essay, Event, Making, NoAnswer, Resolved, Statement, Summary
from qandai.answer import Heard as HeardPart
from qandai.chat import Cause, Remedy, Trouble
from qandai.errors import StoreError
from qandai.model import Question
from qandai.web.essay_view import MORE
from tests.fakes import ScriptedAsker
from tests.web.conftest import BEES, FILM, HONEY, Bench
from tests.web.telling import essay, events, shelves
from tests.web.test_pages import Page, read

PATH = "/ann?q=How+do+they+dance%3F&mode=synthesis"


def client(bench: Callable[..., Bench], *steps: Event | Exception) -> FlaskClient:
    return bench(asker=ScriptedAsker(shelves(), *steps)).client


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def test_the_clip_is_first_and_the_text_follows_with_links_to_its_seconds(bench: Callable[..., Bench]) -> None:
    page = read(client(bench, *events()), PATH)
    names = [tag for tag, attributes in page.tags if tag == "qa-clip" or "data-essay" in attributes]
    assert names == ["qa-clip", "section"]
    assert page.all("qa-clip", start="9.7")
    text = plain(page.text)
    assert "Bees dance a figure of eight 1 and it looks slow on film 3." in text
    assert "Honey <b>keeps</b>." in text
    cites = [unescape(link["href"]) for link in page.all("a") if "data-cite" in link]
    question = "q=How+do+bees+dance%3F"
    assert cites[:3] == [
        f"/ann?{question}&v=talk1&t=9.70&end=18.00",
        f"/ann?{question}&v=tube&t=12.10&end=17.90",
        f"/ann?{question}&v=talk1&t=17.70&end=24.00",
    ]
    assert "Drawn from 2 of 3 recordings." in text
    assert "dance" in text
    assert f"“{HONEY}”" in text
    assert "A language model wrote this from the recordings. It is no quote" in text
    assert "Understood as: How do bees dance?" in text


def test_numbers_are_links_while_their_moments_are_not_known_yet(bench: Callable[..., Bench]) -> None:
    resolved, found, heard, *others = events()
    assert isinstance(heard, HeardPart)
    assert isinstance(heard.result, Answer)
    early = HeardPart(replace(heard.result, essay=None))
    page = read(client(bench, resolved, found, early, *others), PATH)
    assert page.all("a", href="/ann?q=How+do+bees+dance%3F&v=tube&t=12.10&end=17.90")


def test_every_number_opens_the_moment_it_stands_for(bench: Callable[..., Bench]) -> None:
    page = read(client(bench, *events()), PATH)
    link = next(unescape(link["href"]) for link in page.all("a", **{"aria-label": "Source 3: A filmed talk, 0:12"}))
    opened = read(bench().client, link)
    assert FILM in plain(opened.text)
    assert opened.all("qa-clip", recording="tube", start="12.1")


def test_the_same_question_can_have_the_other_kind_of_answer(bench: Callable[..., Bench]) -> None:
    page = read(client(bench, *events()), PATH)
    modes = {link["href"]: link.get("aria-current") for link in page.all("a") if "data-mode" in link}
    assert modes == {
        "/ann?q=How+do+bees+dance%3F&mode=clip": None,
        "/ann?q=How+do+bees+dance%3F&mode=synthesis": "true",
    }
    plainly = read(bench().client, "/ann?q=How+do+bees+dance%3F")
    assert plainly.all("a", **{"data-mode": "", "aria-current": "true"})[0]["href"].endswith("mode=clip")


def test_the_page_is_sent_as_far_as_it_is_written(bench: Callable[..., Bench]) -> None:
    with client(bench, *events()).get(PATH, buffered=False) as response:
        pieces: Iterator[bytes] = response.iter_encoded()  # type: ignore[assignment]
        sent = [piece.decode() for piece in pieces]
    assert [piece.rstrip().endswith(MORE) for piece in sent] == [True, True, True, False]
    assert "<qa-clip" in sent[0]
    assert "figure of eight" in sent[1]
    assert "Honey" in sent[2]
    assert sent[3].rstrip().endswith("</html>")


def test_the_script_gets_the_same_text(bench: Callable[..., Bench]) -> None:
    whole = client(bench, *events()).get(PATH).get_data(as_text=True)
    posted = client(bench, *events()).post(PATH + "&fragment=1", json={"history": [{"question": "Why bees?"}]})
    part = posted.get_data(as_text=True)
    essay_of = re.compile(r"<section class=\"essay\".*?</section>", re.DOTALL)
    assert essay_of.findall(part) == essay_of.findall(whole)
    assert "<html" not in part


def test_what_was_asked_before_is_posted_and_stands_in_no_address(bench: Callable[..., Bench]) -> None:
    made = bench(asker=ScriptedAsker(shelves(), *events()))
    history = {"history": [{"question": "Why do bees dance?", "video_id": "talk1"}]}
    page = made.client.post(PATH + "&fragment=1", json=history).get_data(as_text=True)
    assert made.asker.asked[0].history[0].question == "Why do bees dance?"
    assert "Why do bees dance?" not in page
    assert made.client.post(PATH, data=b"x").status_code == 422
    assert made.client.post(PATH, json={"history": [{"question": "q"}] * 5}).status_code == 422


def test_without_a_model_what_was_said_is_shown_as_it_was_said(bench: Callable[..., Bench]) -> None:
    page = read(bench().client, "/ann?q=How+do+bees+dance%3F&mode=synthesis")
    assert "No language model is set up" in page.text
    assert BEES in plain(page.text)
    assert f"“{FILM}”" in plain(page.text)
    assert "A language model wrote" not in page.text


def test_a_moment_of_an_answer_is_shown_without_writing_it_again(bench: Callable[..., Bench]) -> None:
    made = bench()
    page = read(made.client, "/ann?q=How+do+bees+dance%3F&mode=synthesis&v=talk1&t=9.70&end=18.00")
    assert made.asker.asked[-1].mode == "clip"
    assert not [tag for tag, attributes in page.tags if "data-essay" in attributes]


def test_a_text_that_breaks_off_says_so_and_leaves_what_is_there(bench: Callable[..., Bench]) -> None:
    page = read(client(bench, *events()[:4], StoreError("secret")), PATH)
    assert page.all("qa-clip")
    assert "Bees dance a figure of eight" in page.text
    assert "The rest could not be written" in page.text
    assert "secret" not in page.text


def test_what_fails_before_the_clip_is_an_error_page(bench: Callable[..., Bench]) -> None:
    assert client(bench, *events()[:2], StoreError("secret")).get(PATH).status_code == 503


HOSTILE = '<script>alert(1)</script> "quoted" {{ 7*7 }} [9] [x](javascript:alert(1)) <!-- more -->'


def test_what_a_model_writes_is_text(bench: Callable[..., Bench]) -> None:
    whole = essay()
    assert whole.essay
    hostile = replace(
        whole,
        making=replace(whole.making, understood_as=HOSTILE, model=HOSTILE),
        essay=replace(
            whole.essay,
            statements=(Statement(HOSTILE, (1,)), Statement(HOSTILE, (2, 77), paragraph=True)),
            summary=Summary((1, 3), (HOSTILE,), None),
        ),
    )
    response = client(bench, *events(hostile)).get(PATH)
    text = response.get_data(as_text=True)
    page = Page(text)
    assert "alert(1)" in page.text
    assert {attributes.get("src") for tag, attributes in page.tags if tag == "script"} == {"/static/js/main.mjs"}
    assert not any(attributes.get("href", "").startswith("javascript") for _, attributes in page.tags)
    assert "49" not in plain(page.text).replace("0:49", "")
    assert text.count(MORE) == 3


@pytest.mark.parametrize(
    ("cause", "remedy", "wait", "words"),
    [
        ("spent", "wait", 19.2, "The language model is busy for another 20 s."),
        ("slow", "switch", None, "The language model did not answer in time."),
        ("unreachable", "switch", None, "The language model cannot be reached just now."),
        ("key", "stop", None, "the operator has been told"),
        ("gone", "alert", None, "the operator has been told"),
        ("unusable", "switch", None, "could not be used"),
    ],
)
def test_what_a_model_did_not_do_is_said_in_plain_words(
    bench: Callable[..., Bench], cause: Cause, remedy: Remedy, wait: float | None, words: str
) -> None:
    trouble = Trouble("select", "a-model", cause, remedy, wait, "secret")
    whole = replace(essay(), essay=None, making=Making("clip", troubles=(trouble,), lacking=("clip",)))
    page = read(client(bench, Resolved(whole.making), HeardPart(whole), Done(whole)), "/ann?q=How+do+bees+dance")
    assert words in plain(page.text)
    assert "the recording answers in its own words" in page.text
    assert "secret" not in page.text
    notes = [attributes for _, attributes in page.tags if "data-wait" in attributes]
    assert [note["data-wait"] for note in notes] == (["20"] if wait else [])


def test_a_text_whose_writer_broke_off_says_that_more_was_to_come(bench: Callable[..., Bench]) -> None:
    def told(*troubles: Trouble) -> str:
        whole = replace(essay(), making=Making("synthesis", None, "a-model", troubles))
        return read(client(bench, *events(whole)), PATH).text

    broken = "The language model broke off before the text was finished."
    assert broken in told(Trouble("synthesise", "a-model", "slow", "switch", None, "secret"))
    assert broken not in told(Trouble("synthesise", "another", "slow", "switch"))  # a-model wrote all of it
    assert broken not in told(Trouble("select", "a-model", "slow", "switch"))


def test_what_plays_already_is_not_shown_again_as_a_highlight(bench: Callable[..., Bench]) -> None:
    whole = essay()
    assert whole.essay
    spoken = replace(whole, essay=Essay(whole.essay.cited, whole.essay.spoken))
    page = read(client(bench, *events(spoken)), PATH)
    quotes = [clip.quote.text for clip in whole.essay.spoken]
    assert [f"“{quote}”" in plain(page.text) for quote in quotes] == [False, True, True]


def test_a_trouble_that_cost_nothing_is_not_told(bench: Callable[..., Bench]) -> None:
    trouble = Trouble("select", "a-model", "spent", "wait", 19.2)
    whole = replace(essay(), essay=None, making=Making("clip", None, "another", (trouble,)))
    page = read(client(bench, Resolved(whole.making), HeardPart(whole), Done(whole)), "/ann?q=How+do+bees+dance")
    assert "busy" not in page.text


def test_a_refusal_from_the_whole_archive_is_the_same_refusal(bench: Callable[..., Bench]) -> None:
    never = NoAnswer(Question("ann", "x"), (), making=Making("synthesis", short_circuited=True))
    page = read(client(bench, Resolved(never.making), HeardPart(never), Done(never)), PATH)
    assert "This isn't covered in the recordings." in page.text
    assert "language model" not in page.text


def test_an_empty_essay_has_an_end(bench: Callable[..., Bench]) -> None:
    whole: Answer = replace(essay(), essay=Essay((), ()))
    page = read(client(bench, Resolved(whole.making), HeardPart(whole), Done(whole)), PATH)
    assert [attributes for _, attributes in page.tags if "data-end" in attributes]
