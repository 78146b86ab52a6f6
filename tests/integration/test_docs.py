"""The documents hold what the code says."""

from __future__ import annotations

import os
import re
from dataclasses import fields
from pathlib import Path

import click
import pytest

from qandai.cli.main import cli
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
    [
        ("PORT", "http"),
        ("PORT", "70000"),
        ("QANDAI_FUSION", "magic"),
        ("QANDAI_PASSAGE_CHARS", "5000"),
        ("QANDAI_LLM", "gpt"),
        ("QANDAI_SELECT_WAY", "numbers"),
        ("QANDAI_TRANSCRIBER", "grok"),
        ("QANDAI_ANSWER_SECONDS", "soon"),
        ("QANDAI_ANSWER_SECONDS", "0"),
    ],
)
def test_bad_values_name_their_variable(variable: str, value: str) -> None:
    with pytest.raises(UsageError, match=variable):
        Settings.read({variable: value})


def test_keys_are_not_shown() -> None:
    secret = os.urandom(8).hex()
    assert secret not in repr(Settings.read({"OPENAI_API_KEY": secret}))


@pytest.mark.parametrize("name", ["adding-a-person.md", "speech-to-text.md"])
def test_commands_in_the_documents_are_there_with_their_options(name: str) -> None:
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    context = click.Context(cli)
    for line in re.findall(r"qandai ((?:people|doctor|ingest|ask|index|import|forget)\b[^`\n#]*)", text):
        command, *arguments = line.split()
        found = cli.get_command(context, command)
        assert found is not None, line
        known = {option for parameter in found.params for option in parameter.opts}
        assert {word for word in arguments if word.startswith("--")} <= known, line
