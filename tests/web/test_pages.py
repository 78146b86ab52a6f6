from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest
from flask.testing import FlaskClient

from qandai.model import Person, Video, Word
from qandai.ports import ShelfState
from tests.build import AUDIO, row, said
from tests.fakes import MemoryPeople, MemoryShelf, MemoryShelves, WordAsker
from tests.web.conftest import ANN, BEES, FILM, HONEY, Bench, passages


class Page(HTMLParser):
    """What a browser without scripts would make of it: tags, attributes and text, and nothing left open."""

    VOID = frozenset("area br hr img input link meta path rect stop source circle".split())

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == [], f"left open: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice: {names}"
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str, **wanted: str) -> list[dict[str, str]]:
        return [
            attributes
            for name, attributes in self.tags
            if name == tag and all(attributes.get(key) == value for key, value in wanted.items())
        ]


def read(client: FlaskClient, path: str, status: int = 200) -> Page:
    response = client.get(path)
    assert response.status_code == status
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    return Page(response.get_data(as_text=True))


def test_the_first_page_lists_everybody_with_questions_to_try(client: FlaskClient) -> None:
    page = read(client, "/")
    assert "Ann Archer" in page.text
    assert "3 recordings" in page.text
    assert page.all("a", href="/ann?q=How%20do%20bees%20dance%3F")


def test_a_person_can_be_asked_without_a_script(client: FlaskClient) -> None:
    page = read(client, "/ann")
    assert page.all("form", action="/ann", method="get")
    assert page.all("input", name="q")
    assert page.all("a", href="/ann/videos/talk1")
    assert "1 January 2025 to 1 April 2026" in page.text


def test_a_synthetic_voice_is_labelled_wherever_it_can_be_heard(bench: Callable[..., Bench]) -> None:
    client = bench(MemoryPeople(replace(ANN, synthetic_voice=True))).client
    for path in ("/", "/ann", "/ann?q=How+do+bees+dance", "/ann/videos/talk1"):
        assert "synthetic voice" in read(client, path).text
    assert "synthetic voice" not in read(bench().client, "/ann").text


def test_an_answer_is_whole_without_a_script(client: FlaskClient) -> None:
    page = read(client, "/ann?q=How+do+bees+dance%3F")
    assert page.all("audio", src="/media/ann/talk1#t=9.70,18.00")[0]["controls"] == ""
    assert BEES in re.sub(r"\s+", " ", page.text)
    assert page.all("a", href="/ann?q=How+do+bees+dance%3F&v=talk1&t=9.70&end=18.00")
    assert page.all("a", href="/ann/videos/talk1?t=9.70&end=18.00#moment")
    assert page.all("qa-clip", kind="audio", start="9.7", end="18.0")
    assert page.all("input", value="How do bees dance?")
    assert page.all("a", **{"data-rank": "1"})


def test_a_youtube_answer_asks_nothing_of_youtube_and_links_to_its_second(client: FlaskClient) -> None:
    page = read(client, "/ann?q=waggle+dance+on+film")
    assert page.all("qa-clip", kind="youtube", video="dQw4w9WgXcQ")
    assert page.all("a", href="https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=12s")
    assert not page.all("iframe")
    assert all(
        "youtu" not in attributes.get("src", "")
        for _, attributes in page.tags
        if "src" in attributes and _ != "qa-clip"
    )


def test_words_without_a_player_are_shown_without_one(client: FlaskClient) -> None:
    page = read(client, "/ann?q=written+note+about+winter")
    assert page.all("qa-clip", kind="")
    assert not page.all("audio")
    assert not page.all("button", **{"data-do": "toggle"})
    assert "written note about winter clusters" in re.sub(r"\s+", " ", page.text)


def test_what_was_never_said_is_said_so_and_near_moments_are_marked_as_near(client: FlaskClient) -> None:
    page = read(client, "/ann?q=Who+won+the+flowers+prize")
    assert "This isn't covered in the recordings." in page.text
    assert "The nearest moments" in page.text
    assert "None of them answers it." in page.text
    assert not page.all("qa-clip")
    near = page.all("a", **{"data-rank": "0"})[0]["href"]
    opened = read(client, unescape(near))
    assert "Near your question, but not an answer to it." in opened.text
    assert opened.all("qa-clip")


def test_a_shared_link_plays_its_clip_though_the_ranking_has_changed(bench: Callable[..., Bench]) -> None:
    link = "/ann?q=How+do+bees+dance%3F&v=talk1&t=9.70&end=18.00"
    before = read(bench().client, link)
    others = [*passages()[1:], row("Bees dance dance dance how do bees dance", video=Video("new", "New")).whole()]
    talk = passages()[0].row
    after = read(bench(spans=[*others, talk.span(0, 4), talk.span(5, 15)]).client, link)
    for page in (before, after):
        assert page.all("qa-clip", recording="talk1", start="9.7", end="18.0")
        assert BEES in re.sub(r"\s+", " ", page.text)
    assert "To the best answer" in after.text
    assert "To the best answer" not in before.text


def test_a_shared_link_needs_no_question(client: FlaskClient) -> None:
    page = read(client, "/ann?v=talk1&t=9.70&end=18.00")
    assert page.all("qa-clip", start="9.7")
    assert BEES in re.sub(r"\s+", " ", page.text)
    assert HONEY not in re.sub(r"\s+", " ", page.text)


def test_a_link_without_an_end_plays_half_a_minute(client: FlaskClient) -> None:
    assert read(client, "/ann?v=talk1&t=9.70").all("qa-clip", end="39.7")


def test_a_link_to_a_recording_that_is_gone_says_so(client: FlaskClient) -> None:
    page = read(client, "/ann?q=How+do+bees+dance&v=lost&t=1&end=2")
    assert "no longer here" in page.text
    assert page.all("a", **{"data-rank": "0"})


@pytest.mark.parametrize(
    "query",
    [
        "q=" + "x" * 501,
        "q=%3F%3F",
        "q=bees&mode=loud",
        "q=bees&from=yesterday",
        "q=bees&v=../etc&t=1",
        "q=bees&v=talk1&t=nan",
        "q=bees&v=talk1&t=-1",
        "q=bees&v=talk1&t=1&end=inf",
        "v=talk1&t=1e999",
    ],
)
def test_an_address_that_cannot_be_read_is_refused_in_words(client: FlaskClient, query: str) -> None:
    page = read(client, f"/ann?{query}", 422)
    assert "cannot be read" in page.text
    fragment = client.get(f"/ann?{query}&fragment=1")
    assert fragment.status_code == 422
    assert "<html" not in fragment.get_data(as_text=True)


def test_an_empty_question_is_the_persons_page(client: FlaskClient) -> None:
    assert read(client, "/ann?q=++").all("form", action="/ann")


def test_the_script_gets_the_very_answer_of_the_page(client: FlaskClient) -> None:
    path = "/ann?q=How+do+bees+dance%3F"
    fragment = client.get(path + "&fragment=1").get_data(as_text=True)
    assert "<html" not in fragment
    assert fragment.strip() in client.get(path).get_data(as_text=True)


def test_each_word_of_a_quote_carries_its_time(client: FlaskClient) -> None:
    page = read(client, "/ann?q=How+do+bees+dance%3F")
    times = page.all("p")
    lit = next(attributes["data-times"] for attributes in times if "data-times" in attributes)
    assert lit.startswith("10000 10500 10500 11000")
    assert len(lit.split()) == 2 * len(BEES.split())


def test_glued_words_stand_without_spaces_and_keep_their_spans(bench: Callable[..., Bench]) -> None:
    words = tuple(Word(char, place * 0.3, place * 0.3 + 0.3, glued=place > 0) for place, char in enumerate("蜂は踊る"))
    span = replace(row("x", video=Video("jp", "蜂")), words=words).whole()
    html = bench(spans=[span]).client.get("/ann?v=jp&t=0&end=2").get_data(as_text=True)
    assert "<span>蜂</span><span>は</span><span>踊</span><span>る</span>" in html


HOSTILE = [
    "<img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "</script><script>alert(1)</script>",
    "'><svg/onload=alert(1)>",
    "{{7*7}}",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_strangers_wrote_is_text_wherever_it_is_shown(bench: Callable[..., Bench], text: str) -> None:
    person = Person("ann", text, tagline=text, suggested_questions=(text,))
    video = replace(AUDIO, title=text, channel=text, published=text)
    words = said(f"bees dance {text.replace(' ', '_')}")
    spoken = replace(row("x", video=video), words=tuple(replace(word, speaker=text) for word in words)).whole()
    client = bench(MemoryPeople(person), [spoken]).client
    paths = ("/", "/ann", "/ann?q=bees+dance", "/ann/videos/talk1", "/ann/videos/talk1?t=0&end=9")
    for path in paths:
        page = read(client, path)
        assert all(not name.startswith("on") for _, attributes in page.tags for name in attributes)
        assert all(tag in KNOWN for tag, _ in page.tags), {tag for tag, _ in page.tags} - KNOWN
        assert [attributes for tag, attributes in page.tags if tag == "script"] == [
            {"type": "module", "src": "/static/js/main.mjs"}
        ]
        assert text in page.text
        assert "49" not in page.text or "{{" not in text
    asked = client.get("/ann", query_string={"q": f"bees dance {text}"})
    page = Page(asked.get_data(as_text=True))
    assert all(not name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert all(tag in KNOWN for tag, _ in page.tags)


KNOWN = frozenset(
    (
        "html head meta title link script body a header img span main section h1 h2 h3 p ul ol li strong form label "
        "input button footer dialog dl dt dd kbd div svg path rect lineargradient stop figure blockquote figcaption "
        "cite audio qa-clip article mark code table tr th td"
    ).split()
)


def test_no_page_holds_inline_script_or_style(client: FlaskClient) -> None:
    for path in ("/", "/ann", "/ann?q=bees+dance", "/ann/videos/talk1?t=1&end=2", "/docs", "/nobody"):
        page = Page(client.get(path).get_data(as_text=True))
        assert not page.all("style")
        assert all("style" not in attributes for _, attributes in page.tags)
        assert all("javascript:" not in value for _, attributes in page.tags for value in attributes.values())


def test_the_transcript_is_whole_and_the_passage_is_lit(client: FlaskClient) -> None:
    page = read(client, "/ann/videos/talk1?t=17.70&end=24.00")
    text = re.sub(r"\s+", " ", page.text)
    assert BEES in text
    assert HONEY in text
    html = client.get("/ann/videos/talk1?t=17.70&end=24.00").get_data(as_text=True)
    lit = re.findall(r"<mark>(.*?)</mark>", html, re.S)
    assert [re.sub("<[^>]+>", "", part).strip() for part in lit] == [HONEY]
    assert len(page.all("section", id="moment")) == 1
    assert "<mark>" not in client.get("/ann/videos/talk1").get_data(as_text=True)


def test_overlapping_passages_show_each_word_once(bench: Callable[..., Bench]) -> None:
    talk = row("one two three four five six seven eight", video=AUDIO)
    client = bench(spans=[talk.span(0, 4), talk.span(3, 5), talk.span(4, 7)]).client
    html = client.get("/ann/videos/talk1").get_data(as_text=True)
    assert re.findall(r"<span>(one|two|three|four|five|six|seven|eight)</span>", html) == (
        "one two three four five six seven eight".split()
    )


def test_a_range_that_is_not_this_person_leaves_a_hole_and_no_fault(bench: Callable[..., Bench]) -> None:
    talk = row("one two three four five six seven eight", video=AUDIO)
    client = bench(spans=[talk.span(0, 1), talk.span(5, 7)]).client
    page = read(client, "/ann/videos/talk1?t=0&end=4")
    assert "one two" in page.text
    assert "three" not in page.text
    assert read(client, "/ann?v=talk1&t=0&end=4").all("qa-clip")


def test_a_person_being_indexed_has_a_page_that_says_so(bench: Callable[..., Bench]) -> None:
    states = {"ann": ShelfState("indexing", reason="/srv/secret")}
    client = bench(shelves=MemoryShelves({}, states)).client
    assert "being read just now" in read(client, "/ann").text
    assert "secret" not in read(client, "/ann").text
    assert "Being read just now" in read(client, "/").text
    page = read(client, "/ann?q=bees", 503)
    assert "still being read" in page.text


@pytest.mark.parametrize(
    "path", ["/nobody", "/nobody?q=bees", "/ann/videos/none", "/favicon.ico", "/a/b/c", "/%00", "/..%2f..%2fetc"]
)
def test_unknown_pages_are_404_in_words(client: FlaskClient, path: str) -> None:
    assert read(client, path, 404).all("a", href="/")


def test_names_in_any_script_have_pages(bench: Callable[..., Bench]) -> None:
    greek = Person("οδηγός", "Ο Οδηγός", language="el", suggested_questions=("Γιατί;",))
    client = bench(MemoryPeople(greek), slug="οδηγός").client
    assert "Ο Οδηγός" in read(client, "/οδηγός").text
    link = read(client, "/").all("a", href="/%CE%BF%CE%B4%CE%B7%CE%B3%CF%8C%CF%82?q=%CE%93%CE%B9%CE%B1%CF%84%CE%AF%3B")
    assert link
    assert read(client, "/%CE%BF%CE%B4%CE%B7%CE%B3%CF%8C%CF%82?q=bees+dance").all("qa-clip", person="οδηγός")


def test_right_to_left_words_find_their_own_direction(client: FlaskClient) -> None:
    page = read(client, "/ann?q=How+do+bees+dance")
    for tag in ("h1", "blockquote"):
        assert page.all(tag)[0]["dir"] == "auto"
    assert all(
        attributes["dir"] == "auto"
        for attributes in read(client, "/ann/videos/talk1").all("p")
        if "data-times" in attributes
    )


def test_a_trailing_slash_leads_to_the_page(client: FlaskClient) -> None:
    response = client.get("/ann/")
    assert response.status_code == 308
    assert response.headers["Location"] == "/ann"


def test_social_cards_have_a_title_and_the_words(client: FlaskClient) -> None:
    page = read(client, "/ann?q=waggle+dance+on+film")
    assert page.all("meta", property="og:title")[0]["content"] == "waggle dance on film"
    assert FILM in page.all("meta", property="og:description")[0]["content"]


def test_mode_sources_lists_passages_as_moments_that_open_whole(bench: Callable[..., Bench]) -> None:
    made = bench()
    page = read(made.client, "/ann?q=bees+dance&mode=sources")
    assert not page.all("qa-clip")
    opened = read(made.client, unescape(page.all("a", **{"data-rank": "0"})[0]["href"]))
    assert BEES in re.sub(r"\s+", " ", opened.text)


def test_only_the_ranking_is_asked_once_a_page(bench: Callable[..., Bench]) -> None:
    made = bench()
    read(made.client, "/ann?q=How+do+bees+dance&v=talk1&t=9.70&end=18.00")
    assert len(made.asker.asked) == 1
    assert isinstance(made.asker, WordAsker)


def test_a_shelf_without_passages_has_pages(bench: Callable[..., Bench]) -> None:
    client = bench(shelves=MemoryShelves({"ann": MemoryShelf()})).client
    assert "0 recordings" in read(client, "/ann").text
    assert "isn't covered" in read(client, "/ann?q=bees").text
