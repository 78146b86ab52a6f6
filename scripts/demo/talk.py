"""A talk as it is kept: front matter with title and date, then paragraphs that are spoken as they stand."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

_FRONT = re.compile(r"---\ntitle: (?P<title>[^\n]+)\ndate: (?P<date>\d{4}-\d\d-\d\d)\n---\n(?P<body>.+)\Z", re.DOTALL)
# `;` asks in Greek. In English it is followed by a small letter, and there the sentence goes on.
_STOP = re.compile(r"(?<=[.!?;])\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class Talk:
    """`paragraphs` hold sentences, in the order of speech; `digest` changes with any letter of the file."""

    slug: str
    title: str
    published: str
    paragraphs: tuple[tuple[str, ...], ...]
    digest: str

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(sentence for paragraph in self.paragraphs for sentence in paragraph)

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


def read_talk(path: Path) -> Talk:
    """Raises ValueError where the front matter is not the three lines that every talk begins with."""
    raw = path.read_text(encoding="utf-8")
    found = _FRONT.match(raw)
    if found is None:
        raise ValueError(f"{path}: a talk begins with ---, title: …, date: YYYY-MM-DD, ---")
    blocks = [" ".join(block.split()) for block in re.split(r"\n\s*\n", found["body"].strip())]
    return Talk(
        slug=path.stem,
        title=found["title"].strip(),
        published=found["date"],
        paragraphs=tuple(sentences(block) for block in blocks),
        digest=hashlib.sha256(raw.encode()).hexdigest()[:16],
    )


def sentences(paragraph: str) -> tuple[str, ...]:
    """Cut after . ! ? ; where the next sentence begins with a capital, a quotation mark or a digit."""
    found: list[str] = []
    for piece in _STOP.split(paragraph):
        if found and piece[0].islower():
            found[-1] += f" {piece}"
        else:
            found.append(piece)
    return tuple(found)
