"""What holds of every file, whatever stands in it."""

from __future__ import annotations

import json
import math

from hypothesis import given, settings
from hypothesis import strategies as st

from qandai.errors import TranscriptError
from qandai.ingest.captions import Parsed, parse
from qandai.model import join
from tests.unit.ingest.captions.files import WINDOW, event, json3

LAW = settings(max_examples=50, deadline=None)  # busy machines are slow, and that is no failure

WORDS = st.text(st.sampled_from("abcdeéßжλ世界あ'"), min_size=1, max_size=7)
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
MILLISECONDS = st.integers(0, 3_600_000)
WILD = st.one_of(st.floats(-10, 4000), st.floats(), st.integers(), st.none(), st.text(max_size=3), st.booleans())
LEAVES = st.one_of(st.none(), st.booleans(), st.floats(), st.text(max_size=5))
KEYS = "events segs segments words word text start end utf8 tStartMs video speaker".split()


def branches(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=5))


def letters(text: str) -> str:
    return "".join(sorted(text.replace(" ", "")))


def read_or_refused(content: bytes) -> Parsed | None:
    try:
        return parse(content)
    except TranscriptError:
        return None


def in_order(parsed: Parsed) -> bool:
    starts = [word.start for word in parsed.words]
    return (
        starts == sorted(starts)
        and all(0 <= word.start <= word.end < math.inf for word in parsed.words)
        and all(len(word.text.split()) == 1 for word in parsed.words)
        and list(parsed.segments) == sorted(set(parsed.segments))
        and parsed.segments[0] == 0
        and parsed.segments[-1] < len(parsed.words)
    )


@LAW
@given(
    st.lists(
        st.tuples(MILLISECONDS, TEXTS, st.one_of(st.none(), st.integers(1, 9000))),
        min_size=1,
        max_size=12,
        unique_by=lambda e: e[0],
    )
)
def test_cues_come_out_in_order_with_every_letter(events: list[tuple[int, str, int | None]]) -> None:
    parsed = parse(json3(*(event(start, text, lasts=lasts) for start, text, lasts in events)))
    assert in_order(parsed)
    assert letters(join(parsed.words)) == letters("".join(text for _, text, _ in events))


@LAW
@given(
    st.lists(
        st.tuples(MILLISECONDS, st.lists(st.tuples(TEXTS, st.integers(0, 5000)), min_size=1, max_size=5)),
        min_size=1,
        max_size=8,
        unique_by=lambda e: e[0],
    )
)
def test_timed_pieces_come_out_in_order_and_lose_only_what_is_doubled(
    events: list[tuple[int, list[tuple[str, int]]]],
) -> None:
    parsed = parse(json3(WINDOW, *(event(start, *segs, lasts=4000) for start, segs in events)))
    assert in_order(parsed)
    source = letters("".join(text for _, segs in events for text, _ in segs))
    if "doubled words" not in parsed.repairs:
        assert letters(join(parsed.words)) == source


@LAW
@given(
    st.lists(st.tuples(TEXTS, WILD, WILD, st.lists(st.tuples(WORDS, WILD, WILD), max_size=5)), min_size=1, max_size=6)
)
def test_segments_with_wild_times_are_put_in_order_or_refused(segments: list[tuple[str, object, object, list]]) -> None:
    document = [
        {"text": text, "start": start, "end": end, "words": [{"word": w, "start": s, "end": e} for w, s, e in words]}
        for text, start, end, words in segments
    ]
    content = json.dumps({"segments": document}).encode()
    parsed = read_or_refused(content)
    assert parsed is None or in_order(parsed)


@LAW
@given(st.binary(max_size=200))
def test_bytes_are_read_or_refused(content: bytes) -> None:
    parsed = read_or_refused(content)
    assert parsed is None or in_order(parsed)


@LAW
@given(st.recursive(LEAVES, branches, max_leaves=25))
def test_documents_of_any_shape_are_read_or_refused(document: object) -> None:
    parsed = read_or_refused(json.dumps(document).encode())
    assert parsed is None or in_order(parsed)
