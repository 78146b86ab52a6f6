from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from qandai.answering.moments import Rules, moments
from qandai.answering.turns import Speech
from qandai.model import Excerpt, Span
from tests.build import excerpt
from tests.fakes import BagOfWordsEmbedder

EMBEDDER = BagOfWordsEmbedder(dimension=512)
QUESTION = "why did you sell the boat"


def made(*turns: tuple[str | None, str], **given: object) -> Excerpt:
    return excerpt(*turns, question=QUESTION, embedder=EMBEDDER, **given)  # type: ignore[arg-type]


def played(*excerpts: Excerpt, speech: Speech | None = None, rules: Rules | None = None) -> str:
    return moments(excerpts, speech or Speech(), rules)[0].text


def test_a_solo_speaker_begins_with_the_sentence_that_answers() -> None:
    text = played(
        made((None, "The winter was long. We ate fish. I had to sell the boat, for the boat leaked. Then I left."))
    )
    assert text.startswith("I had to sell the boat")


def test_a_solo_speaker_who_reads_the_question_aloud_begins_with_it() -> None:
    text = played(
        made((None, "Thank you all. Somebody asks, why did you sell the boat? It leaked, and I was tired of bailing."))
    )
    assert text.startswith("Somebody asks, why did you sell the boat?")


def test_captions_without_punctuation_begin_at_the_word_where_the_question_is_read() -> None:
    text = played(
        made((None, "thanks everyone for coming today it is cold why did you sell the boat well it leaked a lot"))
    )
    assert text.startswith("why did you sell the boat")


INTERVIEW = (
    ("Host", "Let us talk about the sea. Why did you sell the boat?"),
    ("Ann", "It leaked badly, and bailing water every night is no life at my age."),
    ("Host", "I see. What came next?"),
    ("Ann", "I bought a bakery."),
)


def test_an_interview_begins_after_the_question() -> None:
    assert played(made(*INTERVIEW)).startswith("It leaked badly")


def test_an_interview_ends_before_the_next_question() -> None:
    assert played(made(*INTERVIEW)).endswith("at my age.")


def test_turn_marks_are_enough_where_nobody_is_named() -> None:
    nameless = [(None, text) for _, text in INTERVIEW]
    assert played(made(*nameless)).startswith("It leaked badly")


def test_an_answer_is_played_from_where_its_speaker_began_it() -> None:
    text = played(
        made(
            ("Host", "What then?"),
            ("Ann", "Well, that is a sad story. I had to sell the boat, the good old boat, in spring."),
        )
    )
    assert text.startswith("Well, that is a sad story.")


def test_an_answer_deep_in_a_monologue_is_played_from_its_own_sentence() -> None:
    before = "It was a cold year on the coast. " * 12
    text = played(made(("Host", "What then?"), ("Ann", before + "I had to sell the boat in spring.")))
    assert text.startswith("I had to sell the boat")


def test_a_host_who_is_named_asks_whatever_the_form() -> None:
    turns = (
        ("Ann Berg", "We ate fish."),
        ("Kim", "Tell me why you did sell the boat."),
        ("Ann Berg", "It leaked."),
    )
    assert played(made(*turns), speech=Speech(host="Kim Lee")).startswith("It leaked.")


def test_a_solo_person_is_not_cut_at_turns() -> None:
    text = played(made(*INTERVIEW), speech=Speech(speaking="solo"))
    assert "Why did you sell the boat?" in text
    assert "It leaked badly" in text


def test_the_end_is_bounded() -> None:
    long_talk = "I had to sell the boat because the boat leaked. " * 60
    span = moments([made((None, long_talk))], Speech())[0]
    assert 6 <= span.end - span.start <= Rules().longest


def test_the_answer_ends_when_the_talk_turns_to_something_else() -> None:
    text = played(
        made((None, "I had to sell the boat. The boat leaked. " + "Bread wants time and a warm oven. " * 8), each=0.7)
    )
    assert text.startswith("I had to sell the boat.")
    assert text.count("Bread") < 6


def test_what_is_ranked_first_is_played_first() -> None:
    bread = made((None, "Bread wants time. Ovens are warm."), number=1)
    boat = made((None, "I had to sell the boat because the boat leaked."), number=2)
    assert [span.text.split()[0] for span in moments([bread, boat], Speech())] == ["Bread", "I"]


WORDS = st.sampled_from("why did you sell the boat? It leaked. bread ice well, harbour".split())
TURNS = st.lists(
    st.tuples(st.sampled_from([None, "Host", "Ann"]), st.lists(WORDS, min_size=1, max_size=25).map(" ".join)),
    min_size=1,
    max_size=5,
)


@settings(max_examples=60)
@given(TURNS, st.sampled_from([None, "solo", "interview"]))
def test_whatever_is_said_a_moment_lies_in_its_excerpt(
    turns: list[tuple[str | None, str]], speaking: str | None
) -> None:
    one = made(*turns)
    (span,) = moments([one], Speech(speaking=speaking))  # type: ignore[arg-type]
    assert isinstance(span, Span)
    assert span.row is one.row
    assert {sentence.span.last for sentence in one.sentences} >= {span.last}
