from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.trained import left_out, remember
from qandai.errors import UsageError

CLIPS = ["a" * 64, "b" * 64]


def test_a_collection_that_taught_a_ranker_gets_the_one_that_left_it_out(tmp_path: Path) -> None:
    remember("clips", CLIPS, tmp_path)
    (tmp_path / "clips.json").write_text(json.dumps({"trained_on": ["talks", "lectures"]}))
    found = left_out([CLIPS[1], "c" * 64], tmp_path)
    assert found is not None
    assert (found.collection, found.trained_on) == ("clips", ("talks", "lectures"))


def test_an_unknown_collection_needs_no_other_ranker(tmp_path: Path) -> None:
    remember("clips", CLIPS, tmp_path)
    assert left_out(["d" * 64], tmp_path) is None
    assert left_out(["d" * 64], tmp_path / "none") is None


def test_nothing_is_measured_on_what_was_learned(tmp_path: Path) -> None:
    remember("clips", CLIPS, tmp_path)
    with pytest.raises(UsageError, match=r"clips\.json"):
        left_out(CLIPS, tmp_path)
