"""The same speech under two ids."""

from __future__ import annotations

import random
from dataclasses import replace

from qandai.ingest.duplicates import duplicates, print_of
from qandai.model import Transcript, Video, Word
from tests.build import said

WORDS = [f"{a}{b}" for a in "ba ce di fo gu la me ni po ru".split() for b in "kan tel mir son dup vel".split()]


def talk(
    video_id: str, seed: int, count: int = 300, *, exact: bool = True, published: str = "2024-01-01"
) -> Transcript:
    dice = random.Random(seed)
    words = said(" ".join(dice.choice(WORDS) for _ in range(count)), exact=exact)
    return Transcript(Video(video_id, f"Talk {video_id}", "youtube", published=published), words)


def misheard(transcript: Transcript, video_id: str, share: float, **more: str) -> Transcript:
    dice = random.Random(1)
    words = tuple(replace(w, text="erm" if dice.random() < share else w.text) for w in transcript.words)
    return Transcript(replace(transcript.video, id=video_id, **more), words)  # type: ignore[arg-type]


def cut(transcript: Transcript, video_id: str, first: int, last: int) -> Transcript:
    return Transcript(replace(transcript.video, id=video_id), transcript.words[first:last])


def found(*transcripts: Transcript) -> dict[str, tuple[str, ...]]:
    return {video_id: copy.of for video_id, copy in duplicates(map(print_of, transcripts)).items()}


def test_different_talks_are_no_copies() -> None:
    assert found(*(talk(f"t{n}", n) for n in range(20))) == {}


def test_a_re_upload_is_found_though_it_was_heard_a_little_differently() -> None:
    original = talk("a", 1)
    assert found(original, misheard(original, "b", 0.05, published="2025-01-01"), talk("c", 2)) == {"b": ("a",)}


def test_an_excerpt_is_left_out_for_the_whole() -> None:
    whole = talk("whole", 1, 900)
    reasons = duplicates(map(print_of, (cut(whole, "part", 100, 300), whole)))
    assert reasons["part"].of == ("whole",)
    assert reasons["part"].reason == "an excerpt of whole (Talk whole)"


def test_of_equal_copies_the_best_timed_is_kept_then_the_oldest() -> None:
    estimated = talk("estimated", 1, exact=False, published="2020-01-01")
    timed = talk("timed", 1, published="2024-01-01")
    older = talk("older", 1, published="2023-01-01")
    assert found(estimated, timed, older) == {"estimated": ("older",), "timed": ("older",)}


def test_the_fullest_is_kept_even_if_a_shorter_cut_is_better_timed() -> None:
    whole = talk("whole", 1, 900, exact=False)
    assert found(whole, cut(talk("x", 1, 900), "part", 0, 400)) == {"part": ("whole",)}


def test_a_medley_of_fuller_talks_is_left_out() -> None:
    talks = [talk(f"t{n}", n, 600) for n in range(3)]
    words: tuple[Word, ...] = sum((t.words[50:150] for t in talks), ())
    medley = Transcript(Video("best", "Best of"), words)
    copies = duplicates(map(print_of, [*talks, medley]))
    assert set(copies) == {"best"}
    assert set(copies["best"].of) == {"t0", "t1", "t2"}


def test_a_greeting_that_every_talk_shares_makes_no_copy() -> None:
    greeting = talk("g", 99, 60).words
    short = [Transcript(Video(f"s{n}", "Short"), greeting + talk("x", n, 50).words) for n in range(12)]
    assert found(*short) == {}


def test_a_few_words_prove_nothing() -> None:
    assert found(talk("a", 1, 8), talk("b", 1, 8)) == {}
