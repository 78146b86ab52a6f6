from __future__ import annotations

from pathlib import Path

import pytest

from eval import rewrites
from eval.expansion import kept
from eval.played import Way
from qandai.errors import UsageError


def test_sets_without_imagined_answers_are_named_with_what_makes_them(tmp_path: Path) -> None:
    rewrites.write(tmp_path / "one.jsonl", {"why?": ("because",)})
    there, missing = kept(tmp_path, ["one", "two"])
    assert there == ["one"]
    assert "two" in missing
    assert "--llm --rewrites" in missing
    assert kept(tmp_path, ["one"]) == (["one"], "")


def test_imagined_answers_are_read_as_they_were_written(tmp_path: Path) -> None:
    made = {"pourquoi ?": ("parce que…", "«rien»"), "why?": ("because",)}
    rewrites.write(tmp_path / "made.jsonl", made)
    assert rewrites.read(tmp_path / "made.jsonl") == made


@pytest.mark.parametrize("line", ["hello", '{"question": "why?"}', '{"question": "why?", "rewrites": "because"}', "[]"])
def test_a_line_that_holds_none_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "made.jsonl"
    path.write_text(f'{{"question": "so?", "rewrites": []}}\n{line}\n')
    with pytest.raises(UsageError, match=r"made\.jsonl:2"):
        rewrites.read(path)


def test_a_run_is_called_by_what_it_does_otherwise() -> None:
    assert Way().label("defaults") == "defaults"
    assert Way("synthesis").label("defaults") == "synthesis"
    assert Way("synthesis").label("top_k=3") == "top_k=3 · synthesis"
