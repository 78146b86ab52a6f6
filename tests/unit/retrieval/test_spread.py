from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from qandai.model import Hit
from qandai.retrieval.spread import spread


def hits(*scores: float) -> list[Hit]:
    return [Hit(number, number + 1, score, 0.5) for number, score in enumerate(scores)]


def chosen(videos: str, count: int, *scores: float) -> str:
    """Ranks of the chosen; `videos` has a letter for each hit."""
    ranked = hits(*(scores or [1 - place / 100 for place in range(len(videos))]))
    found = spread(ranked, lambda hit: videos[hit.index], count)
    return "".join(f"{videos[hit.index]}{hit.rank}" for hit in found)


def test_no_recording_takes_more_than_its_share() -> None:
    assert chosen("aaaabc", 4) == "a1a2b5c6"


def test_a_recording_alone_fills_what_is_wanted() -> None:
    assert chosen("aaaa", 3) == "a1a2a3"


def test_of_more_recordings_than_are_wanted_the_best_are_read() -> None:
    assert chosen("abcd", 2) == "a1b2"


def test_what_lies_far_below_the_best_is_not_read_for_the_sake_of_variety() -> None:
    assert chosen("aab", 3, 1.0, 0.95, 0.2) == "a1a2"
    assert chosen("aab", 3, 1.0, 0.95, 0.6) == "a1a2"  # below the widest gap


def test_nothing_comes_of_nothing() -> None:
    assert chosen("", 5) == ""
    assert chosen("ab", 0) == ""


@given(st.text("abc", max_size=20), st.integers(1, 8))
def test_they_are_the_best_of_their_recordings_in_order(videos: str, count: int) -> None:
    ranked = hits(*(1 - place / 1000 for place in range(len(videos))))
    found = spread(ranked, lambda hit: videos[hit.index], count)
    assert len(found) == min(count, len(videos))
    assert [hit.rank for hit in found] == sorted(hit.rank for hit in found)
    given_by, has = Counter(videos[hit.index] for hit in found), Counter(videos)
    for video, number in given_by.items():
        assert [hit for hit in ranked if videos[hit.index] == video][:number] == [
            hit for hit in found if videos[hit.index] == video
        ]
        assert all(number <= given_by[other] + 1 or given_by[other] == has[other] for other in has)
