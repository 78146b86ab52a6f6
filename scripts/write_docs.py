"""Writes what is made from the code: people/schema.json, .env.example and the table of docs/configuration.md."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

from qandai.adapters.person_form import schema
from qandai.settings import Settings

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- settings -->", "<!-- /settings -->"


def env_example() -> str:
    """One commented line a setting, with its default."""
    lines = ["# Copy to .env and change what you need. Made from the settings by scripts/write_docs.py."]
    for spec in fields(Settings):
        default = "" if spec.default is None else spec.default
        lines += ["", f"# {spec.metadata['why']}", f"#{spec.metadata['variable']}={default}"]
    return "\n".join(lines) + "\n"


def settings_table() -> str:
    rows = ["| variable | default | what it is for |", "|---|---|---|"]
    for spec in fields(Settings):
        default = "unset" if spec.default is None else f"`{spec.default}`"
        rows.append(f"| `{spec.metadata['variable']}` | {default} | {spec.metadata['why']} |")
    return "\n".join(rows)


def with_table(text: str) -> str:
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{settings_table()}\n{END}{rest.split(END)[1]}"


def main() -> None:
    (ROOT / "people" / "schema.json").write_text(json.dumps(schema(), indent=2, ensure_ascii=False) + "\n")
    (ROOT / ".env.example").write_text(env_example())
    configuration = ROOT / "docs" / "configuration.md"
    configuration.write_text(with_table(configuration.read_text()))


if __name__ == "__main__":
    main()
