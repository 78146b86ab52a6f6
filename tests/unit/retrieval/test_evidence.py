from __future__ import annotations

import numpy as np
import pytest

from qandai.model import Video
from qandai.retrieval.evidence import WordEvidence
from qandai.retrieval.stems import stem
from tests.build import row, shelf
from tests.fakes import BagOfWordsEmbedder

TALKS = (
    ("Boats float. Sails fill. Ropes hold.", "en"),
    ("Knots slip. Anchors drag.", "en"),
)


def evidence(*talks: tuple[str, str]) -> WordEvidence:
    rows = [row(text, video=Video(f"v{at}", "Talk", language=spoken)) for at, (text, spoken) in enumerate(talks)]
    held = shelf(*rows, embedder=BagOfWordsEmbedder(), chars=12)
    numbers = {video_id: at for at, video_id in enumerate(held.videos)}
    return WordEvidence(held, np.array([numbers[place.video_id] for place in held.places], np.int64))


def test_a_family_of_words_is_covered_whatever_its_endings() -> None:
    found = evidence(*TALKS).of("sailing")
    assert found["covered"].tolist() == [0, 1, 0, 0, 0]
    assert found["stems"][1] > 0


def test_what_a_neighbour_says_is_covered_nearby_but_not_over_the_end_of_a_recording() -> None:
    assert evidence(*TALKS).of("ropes")["covered_near"].tolist() == [0, 1, 1, 0, 0]
    assert evidence(*TALKS).of("knots")["covered_near"].tolist() == [0, 0, 0, 1, 1]


def test_a_recording_is_as_good_as_its_best_place() -> None:
    assert evidence(*TALKS).of("anchors drag")["video"].tolist() == pytest.approx([0, 0, 0, 1, 1])


def test_half_of_a_question_that_is_covered_counts_a_quarter_when_squared() -> None:
    found = evidence(*TALKS).of("ropes knots")
    np.testing.assert_allclose(found["covered_squared"], found["covered"] ** 2)
    assert 0 < found["covered"][2] < 1


def test_the_better_neighbour_speaks_for_a_passage_and_its_own_score_where_it_has_none() -> None:
    scores = np.array([0.1, 0.5, 0.2, 0.9, 0.3], np.float32)
    np.testing.assert_allclose(evidence(*TALKS).near(scores), [0.5, 0.2, 0.5, 0.3, 0.9], rtol=1e-6)
    alone = evidence(("Boats float.", "en"))
    np.testing.assert_allclose(alone.near(np.array([0.7], np.float32)), [0.7], rtol=1e-6)


def test_a_question_without_words_says_nothing() -> None:
    assert all(not scores.any() for scores in evidence(*TALKS).of("?!").values())


def test_the_words_of_a_question_tell_by_how_rare_they_are() -> None:
    terms = evidence(*TALKS, ("Boats slip.", "en")).terms("boats or anchors")
    assert list(terms) == ["boats", "or", "anchors"]
    assert terms["boats"] < terms["anchors"]


def test_a_question_in_another_language_has_no_words_that_tell() -> None:
    assert evidence(*TALKS).terms("où sont les voiles du bateau") == {}


@pytest.mark.parametrize("question", ["mât brisé", "Do the sails of the boats drag?"])
def test_few_words_have_no_language_and_a_shared_word_is_enough_for_a_small_archive(question: str) -> None:
    assert evidence(*TALKS).terms(question)


@pytest.mark.parametrize(("word", "family"), [("sailing", "sail"), ("sails", "sail"), ("is", "is"), ("bus", "bus")])
def test_english_words_lose_an_ending_if_enough_is_left(word: str, family: str) -> None:
    assert stem(word, "en") == family


def test_other_languages_keep_their_words() -> None:
    assert stem("chanting", "de") == "chanting"


def test_rare_words_count_more_and_every_word_counts_once() -> None:
    boats, unsaid, again = evidence(*TALKS, TALKS[0]).weights("boats, zeppelins: boats!")
    assert 0 < boats < unsaid
    assert again == boats


def test_the_parts_of_a_word_share_what_it_tells_by_their_length() -> None:
    said = evidence(("We don't sail.", "en"), *TALKS)
    weights = said.weights("don't we")
    assert len(weights) == 3
    assert weights[0] / weights[1] == pytest.approx(3**1.5, rel=1e-5)
    assert len(said.weights("?! …")) == 0
