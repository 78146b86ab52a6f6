"""The documents hold what the code says."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path

import pytest

from qandai.errors import UsageError
from qandai.settings import Settings
from scripts import write_docs

ROOT = Path(__file__).parents[2]


def test_configuration_lists_every_setting_with_its_default() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert write_docs.with_table(text) == text, "run: python -m scripts.write_docs"


def test_the_example_environment_is_made_from_the_settings_and_boots(tmp_path: Path) -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert example == write_docs.env_example(), "run: python -m scripts.write_docs"
    lines = [
        line.removeprefix("#") if line.startswith("#") and "=" in line.split(" ")[0] else line
        for line in example.splitlines()
    ]
    (tmp_path / ".env").write_text("\n".join(lines).replace("QANDAI_HOME=.", f"QANDAI_HOME={tmp_path}"))
    settings = Settings.read({"QANDAI_HOME": str(tmp_path)})
    for spec in fields(Settings):
        if spec.name != "home":
            assert getattr(settings, spec.name) == spec.default, spec.name


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PORT=1\nQANDAI_TOP_K=7\n")
    settings = Settings.read({"QANDAI_HOME": str(tmp_path), "PORT": "2"})
    assert (settings.port, settings.top_k) == (2, 7)


@pytest.mark.parametrize(
    ("variable", "value"),
    [("PORT", "http"), ("PORT", "70000"), ("QANDAI_FUSION", "magic"), ("QANDAI_PASSAGE_CHARS", "5000")],
)
def test_bad_values_name_their_variable(variable: str, value: str) -> None:
    with pytest.raises(UsageError, match=variable):
        Settings.read({variable: value})


def test_keys_are_not_shown() -> None:
    secret = os.urandom(8).hex()
    assert secret not in repr(Settings.read({"OPENAI_API_KEY": secret}))
