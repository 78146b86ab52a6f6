from __future__ import annotations

import pytest

from qandai.errors import Unusable
from qandai.replies import MOST_CHARS, lines, objects, visible, whole_number


def test_a_thinking_part_that_was_let_through_is_left_out() -> None:  # D26
    assert visible("<think>2: no</think>\n3: yes") == "3: yes"
    assert visible("no opening mark</THINK> yes") == "yes"


def test_who_never_stops_thinking_says_nothing() -> None:
    with pytest.raises(Unusable):
        visible("<think>2: no")


def test_only_so_much_is_read() -> None:
    assert len(visible("a" * 5_000_000)) == MOST_CHARS


def test_decorations_of_lines_are_not_read() -> None:
    assert lines("```json\n> **2:** so it is\n- *one*\n\n```") == ["2:** so it is", "one", ""]


def test_objects_are_found_wherever_they_stand() -> None:
    found = list(objects('Sure: {"A": 1} and [{"b": [{"c": 2}]}] but {broken and {"d": {"e": 3}}'))
    assert found == [{"a": 1}, {"b": [{"c": 2}]}, {"c": 2}, {"d": {"e": 3}}, {"e": 3}]


def test_deep_nesting_brings_nobody_down() -> None:
    assert list(objects('{"a":' * 4000)) == []
    assert len(list(objects('{"a":' + "[" * 9000 + "]" * 9000 + "}"))) <= 1


@pytest.mark.parametrize(
    ("value", "number"),
    [
        *((2, 2), (2.0, 2), ("2", 2), ("[2]", 2), ("excerpt 2", 2), (0, 0), (True, None), (-1, None), ("-1", None)),
        *((2.5, None), (float("nan"), None), (float("inf"), None), ("two", None), ("2 or 3", None), (None, None)),
    ],
)
def test_a_number_is_known_in_its_disguises(value: object, number: int | None) -> None:
    assert whole_number(value) == number
