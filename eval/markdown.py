"""A report as Markdown; its pictures lie beside it."""

from __future__ import annotations

from collections.abc import Sequence

from eval.parts import Picture, Section, Table


def as_markdown(title: str, sections: Sequence[Section]) -> str:
    lines = [f"# {title}"]
    for section in sections:
        lines += ["", f"## {section.title}"]
        for part in section.parts:
            if isinstance(part, Table):
                lines += ["", _line(part.head), _line(["---"] * len(part.head)), *map(_line, part.rows)]
            elif isinstance(part, Picture):
                lines += ["", f"![{part.alt}]({part.name}.png)"]
            else:
                lines += ["", part]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
