"""Where quotes are found, and where they are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qandai.align import Alignment, align, start_of
from qandai.alignment.haystack import Haystack
from qandai.model import Row
from qandai.text import tokens
from tests.build import AUDIO, row, said

VOCABULARY = (
    "house river the and of garden we walked they never because yes stone bridge quiet morning open people "
    "twenty five don't it's um you know well-known Ωδή 120,000 naïve"
).split()
SPEECH = st.lists(st.sampled_from(VOCABULARY), min_size=5, max_size=120)
TALK = (
    "so we bought the old mill beside the river and nobody believed that it could ever turn again because the wheel "
    "was broken and the roof had fallen in but my brother said that stone remembers and that a summer of honest work "
    "would bring it back"
)


def found(quote: str, text: str, **options: object) -> Alignment:
    alignment = align(quote, [row(text)], **options)  # type: ignore[arg-type]
    assert alignment is not None, f"not found: {quote}"
    return alignment


@given(SPEECH, st.data())
def test_every_span_that_was_said_is_found_again_at_its_place_or_where_it_recurs(
    words: list[str], data: st.DataObject
) -> None:
    recording = Row(AUDIO, said(" ".join(words)))
    first = data.draw(st.integers(0, len(words) - 5))
    span = recording.span(first, data.draw(st.integers(first + 4, len(words) - 1)))
    alignment = align(span.text, [recording])
    assert alignment is not None
    assert tokens(alignment.span.text) == tokens(span.text)
    assert alignment.span.first <= span.first
    assert (alignment.match, alignment.score) == ("exact", 100.0)


@given(
    SPEECH, st.lists(st.sampled_from("purple elephants dance upon seventh moons quietly juggling".split()), min_size=1)
)
def test_words_never_said_are_refused(words: list[str], quote: list[str]) -> None:
    assert align(" ".join(quote), [row(" ".join(words))]) is None


@given(st.integers(0, 20), st.integers(1, 10))
def test_a_dropped_word_does_not_move_the_start(first: int, dropped: int) -> None:
    words = TALK.split()[first : first + 15]
    alignment = found(" ".join(words[:dropped] + words[dropped + 1 :]), TALK)
    assert (alignment.span.first, alignment.span.last) == (first, first + 14)
    assert alignment.match == "repaired"


@given(st.text(max_size=200), st.text(max_size=200))
def test_no_quote_and_no_transcript_breaks_it(quote: str, text: str) -> None:
    spoken = row(text)
    if spoken.words:
        alignment = align(quote, [spoken])
        assert alignment is None or alignment.span.row == spoken


def test_an_empty_quote_an_empty_row_and_no_excerpt_are_not_said() -> None:
    assert align("", [row(TALK)]) is None
    assert align(" … — ", [row(TALK)]) is None
    assert align("stone remembers and that a summer", []) is None
    assert align("stone remembers and that a summer", [Row(AUDIO, ())]) is None


@pytest.mark.parametrize(
    ("quote", "text", "expected"),
    [
        # D22: typography
        ("Cheese\u202fShop don’t 3\u20115\nor so", "the Cheese Shop don't 3-5 or so", "Cheese Shop don't 3-5 or so"),
        # D25: digits and words
        (
            "2020 was hard for all of us",
            "but twenty twenty was hard for all of us",
            "twenty twenty was hard for all of us",
        ),
        ("120,000 people came to see", "yes a hundred and twenty thousand people came to see", None),
        ("50% of them left us then", "so fifty percent of them left us then", "fifty percent of them left us then"),
        ("twenty twenty was hard for all of us", "2020 was hard for all of us", "2020 was hard for all of us"),
        ("one thousand two hundred and six mills", "the 1,206 mills", None),
        # contractions opened and closed
        (
            "It is not what we have built there",
            "well it's not what we've built there",
            "it's not what we've built there",
        ),
        ("it's what they'd seen by then", "it is what they had seen by then", "it is what they had seen by then"),
        # an opening that was not said, fillers, joined words, a word cut short, a misheard name
        ("Yeah. Stone remembers and that a summer", TALK, "stone remembers and that a summer"),
        ("we bought the old mill", "we um bought the uh old mill", "we um bought the uh old mill"),
        ("email is how you reach us here", "an e-mail is how you reach us here", "e-mail is how you reach us here"),
        ("ther said that stone remembers and", TALK, "brother said that stone remembers and"),
        ("Qubes OS was built to be safe", "and cubes OS was built to be safe", "cubes OS was built to be safe"),
        # D46: Greek in capitals, polytonic
        ("ΚΑΙ ΤΟΝ ΔΡΟΜΟ ΤΗΣ ΕΠΙΣΤΡΟΦΗΣ", "και τον δρόμο της επιστροφής", None),
        # no spaces
        ("我喜欢学习中文因为它很美", "今天 我喜欢 学习中文 因为它 很美 对", "我喜欢 学习中文 因为它 很美"),
        ("我喜欢学中文因为它很美好", "今天 我喜欢 学习中文 因为它 很美 对", "我喜欢 学习中文 因为它 很美"),
    ],
)
def test_a_quote_is_found_though_it_was_typed_otherwise(quote: str, text: str, expected: str | None) -> None:
    spoken = found(quote, text).span.text
    assert spoken == expected if expected else text.endswith(spoken)
    if expected is None:
        assert len(spoken.split()) >= len(text.split()) - 1


def test_a_window_shifted_by_one_word_never_wins() -> None:
    alignment = found("believed it could ever turn again because a wheel was broken and its roof", TALK)
    assert alignment.span.text.startswith("believed that it could")
    assert alignment.span.text.endswith("the roof")


def test_the_end_is_found_by_its_own_anchor_where_words_are_left_out() -> None:
    quote = (
        "we bought the old mill beside the river and nobody said that stone remembers and that a summer of honest work"
    )
    alignment = found(quote, TALK)
    assert alignment.span.text.startswith("we bought the old mill")
    assert alignment.span.text.endswith("of honest work")


def test_a_longer_window_decides_between_places_that_begin_alike() -> None:
    once = "and this is what i always tell the people who come to see the mill it was a ruin"
    again = "and this is what i always tell the people who come to see the mill it was my life"
    alignment = found(
        "And this is what I tell people who come to see the mill. It was my life!", f"{once} {TALK} {again}"
    )
    assert alignment.span.text.endswith("it was my life")
    assert alignment.span.first == len(f"{once} {TALK}".split())


def test_of_equal_places_the_earliest_counts() -> None:
    assert found("stone remembers and that a summer", f"{TALK} {TALK}").span.first == TALK.split().index("stone")


class TestEllipsis:
    """D21."""

    def test_a_quote_may_leave_words_out(self) -> None:
        alignment = found("It could ever turn again … and the roof had fallen in.", TALK)
        assert alignment.span.text.startswith("it could ever turn again because the wheel")
        assert alignment.span.text.endswith("the roof had fallen in")

    @pytest.mark.parametrize(
        ("quote", "text", "shown"),
        [
            ("he is ... allowed to end it", "well he is not allowed to end it early", "he is"),
            ("he is … allowed to end it", "well he isn't allowed but he is never ever allowed to end it", "he is"),
            ("il a … fini son travail hier", "il a jamais fini son travail hier", "il a"),
            ("c'est … vrai ce que tu dis", "c'est pas vrai ce que tu dis", "c'est"),
            ("er hat … gesagt was er wollte", "er hat nicht gesagt was er wollte", "er hat"),
            ("eso es … lo que queremos hacer", "eso es nada lo que queremos hacer", "eso es"),
            ("αυτό είναι … αλήθεια για όλους μας", "αυτό είναι δεν αλήθεια για όλους μας", "αυτό είναι"),
        ],
    )
    def test_a_no_that_was_left_out_leaves_the_first_part_alone(self, quote: str, text: str, shown: str) -> None:
        alignment = found(quote, text)
        assert (alignment.span.text, alignment.match) == (shown, "repaired")

    def test_what_was_left_out_may_be_anything_else(self) -> None:
        assert found("he is ... allowed to end it", "he is really allowed to end it").span.text.endswith("to end it")

    def test_a_no_that_was_quoted_hides_nothing(self) -> None:
        text = "he is by the law of this land not allowed as you may know to end it early"
        assert found("he is … not allowed … to end it", text).span.text.endswith("to end it")

    def test_parts_in_the_wrong_order_are_refused(self) -> None:
        assert align("end it early ... he is", [row("well he is not allowed to end it early")]) is None

    def test_parts_far_apart_are_refused(self) -> None:
        text = f"we bought the old mill {'and then some more ' * 40} the roof had fallen in"
        assert align("we bought the old mill … the roof had fallen in", [row(text)]) is None

    def test_the_start_comes_from_the_first_part_that_is_near_the_last(self) -> None:
        text = f"he is here {'and then some more ' * 40} he is really allowed to end it"
        assert found("he is … allowed to end it", text).span.first > 150

    def test_a_part_that_is_said_everywhere_is_found_beside_the_other(self) -> None:
        text = f"{'so it goes and ' * 1500} so we went on and ended it early then"
        assert found("so … ended it early then", text).span.first == 6000

    def test_a_hesitation_is_no_gap(self) -> None:
        assert found("I was… I was thinking of it", "so I was I was thinking of it").match == "exact"


class TestShortQuotes:
    """D23: under five words."""

    def test_alone_in_the_named_excerpt_it_is_found(self) -> None:
        excerpts = [row("yeah so yeah and yeah"), row("they said okay so why not", offset=50)]
        alignment = align("Okay. So", excerpts, named=1)
        assert alignment is not None
        assert (alignment.span.first, alignment.found) == (52, "named")

    def test_said_twice_it_is_ambiguous(self) -> None:
        assert align("Yeah.", [row("yeah so yeah and yeah")]) is None

    def test_said_twice_the_first_answer_sentence_stands_in(self) -> None:
        excerpt = row("yeah so yeah I think so yeah")
        alignment = align("Yeah.", [excerpt], sentence=excerpt.span(2, 5))
        assert alignment is not None
        assert alignment.span.text == "yeah I think so"
        assert alignment.score < 100

    def test_never_said_there_it_may_be_alone_elsewhere(self) -> None:
        alignment = align("okay so", [row("yeah"), row("okay so", offset=9), row("yeah", offset=30)])
        assert alignment is not None
        assert (alignment.span.first, alignment.found) == (9, "other")

    def test_never_said_it_is_refused_though_a_sentence_could_stand_in(self) -> None:
        excerpt = row("yeah so yeah")
        assert align("nobody knows", [excerpt], sentence=excerpt.whole()) is None


class TestWhoIsAsked:
    """D24."""

    def test_the_named_excerpt_first(self) -> None:
        excerpts = [row("so it goes with every mill"), row("so it goes with every mill", offset=40)]
        alignment = align("so it goes with every mill", excerpts, named=1)
        assert alignment is not None
        assert (alignment.span.first, alignment.found) == (40, "named")

    def test_a_near_tie_goes_to_the_named_excerpt(self) -> None:
        excerpts = [row("so it goes with every old mill here"), row("so it goes with every mill there is", offset=40)]
        alignment = align("so it goes with every old mill there", excerpts, named=1)
        assert alignment is not None
        assert alignment.found == "named"

    def test_a_quote_across_two_excerpts_is_found_in_both_together(self) -> None:
        words = said(TALK)
        excerpts = [Row(AUDIO, words[30:], 30), Row(AUDIO, words[:33], 0)]
        alignment = align(" ".join(TALK.split()[24:40]), excerpts, named=0)
        assert alignment is not None
        assert (alignment.span.first, alignment.span.last, alignment.found) == (24, 39, "neighbours")

    def test_another_excerpt_where_the_named_one_does_not_say_it(self) -> None:
        alignment = align(
            "stone remembers and that a summer", [row("nothing of the kind at all"), row(TALK, offset=90)]
        )
        assert alignment is not None
        assert alignment.found == "other"

    def test_the_whole_recording_last_and_only_then(self) -> None:
        asked: list[str] = []

        def whole() -> Row:
            asked.append("whole")
            return row(TALK)

        excerpt = row("nothing of the kind was said here at all")
        assert align("nothing of the kind was said", [excerpt], whole=whole) is not None
        assert not asked
        alignment = align("stone remembers and that a summer", [excerpt], whole=whole)
        assert alignment is not None
        assert alignment.found == "whole"
        assert asked == ["whole"]

    def test_a_quote_that_begins_before_its_excerpt_is_found_whole(self) -> None:
        excerpt = Row(AUDIO, said(TALK)[10:30], 10)
        alignment = align(" ".join(TALK.split()[6:24]), [excerpt], whole=row(TALK))
        assert alignment is not None
        assert alignment.span.first == 6

    def test_a_number_that_names_no_excerpt_asks_them_all(self) -> None:
        assert align("stone remembers and that a summer", [row(TALK)], named=7) is not None

    def test_a_prepared_haystack_answers_as_the_row_does(self) -> None:
        assert align("stone remembers and that a summer", [Haystack(row(TALK))]) == align(
            "stone remembers and that a summer", [row(TALK)]
        )


class TestStart:
    def test_an_exact_first_word_is_the_start(self) -> None:
        assert start_of(row("we bought it", at=3).whole()) == (3.0, True)

    def test_an_estimated_first_word_gives_way_to_the_next_exact_one_within_two_seconds(self) -> None:
        words = said("we bought the old mill", at=3, exact=False)
        assert start_of(Row(AUDIO, (*words[:4], replace(words[4], exact=True))).whole()) == (5.0, True)

    def test_else_the_estimate_counts(self) -> None:
        words = said("we bought the old mill then", at=3, exact=False)
        assert start_of(Row(AUDIO, (*words[:5], replace(words[5], exact=True))).whole()) == (3.0, False)
