"""What stands under an essay: the lines `THEMES: a; b` and `KEY QUOTE [2]: "…"`, however a model spells them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from qandai.align import align
from qandai.answering.citations import CITATION, bare, split
from qandai.answering.sentences import Typed
from qandai.model import Excerpt, Quote
from qandai.text import tokens

SHARED = 0.6
"""Of a key quote's words, the share that one excerpt has to hold before it is looked for there."""

MOST_THEMES = 5
_THEME_CHARS = 60
_QUOTE_CHARS = 600
_FEWEST = 4  # words that are worth quoting

_Kind = Literal["themes", "quote"]
_THEMES = r"(?:(?:key|main|central)[\s_-]*)?(?:themes?|themen|thèmes?|temas?|temi|thema['’]s|θέματα)"
_QUOTE = (
    r"key[\s_-]*quot(?:e|es|ation)|schlüsselzitat|kernzitat|citation[\s-]clé|cita[\s-]clave|citazione[\s-]chiave|"
    r"citação[\s-]chave|kerncitaat|φράση[\s-]κλειδί|βασική\sφράση"
)
_LABEL = re.compile(
    rf"[\W_]{{0,8}}(?:(?P<themes>{_THEMES})|(?P<quote>{_QUOTE}))[*_\s]*"
    r"(?P<cited>[\[(【][^\])】]{0,24}[\])】])?[*_\s]*(?:[:：]|—|–|\s-\s|(?P<alone>\Z))",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\s*[;；\u037e|·•]\s*")
_COMMA = re.compile(r"\s*[,،、]\s*")
_OUTER = "\"'“”‘’«»„*_`#-–—•().,;: "


@dataclass(frozen=True, slots=True)
class Tail:
    """Checked: the themes are words of the excerpts or of the question, the quote was said."""

    themes: tuple[str, ...] = ()
    key_quote: Quote | None = None


class TailReader:
    """Takes the tail out of the sentences of one reply. Not for threads to share."""

    def __init__(self) -> None:
        self._kind: _Kind | None = None  # of the label whose line, or list, is being read
        self._listed = False  # the label stood alone, so what follows on lines of their own belongs to it
        self._themes: list[str] = []
        self._quotes: list[str] = []

    def takes(self, typed: Typed) -> bool:
        """Whether it is a part of the tail, which nobody is to see as text."""
        label = _LABEL.match(typed.text)
        if label is not None:
            self._kind = "themes" if label["themes"] else "quote"
            rest = typed.text[label.end() :].strip()
            self._listed = not bare(rest).strip()
            self._add(f"{label['cited'] or ''} {rest}".strip(), new=True)
            return True
        if self._kind is None:
            return False
        if typed.opens and not (self._listed and (typed.bullet or self._awaits())):
            self._kind = None
            return False
        self._add(typed.text, new=typed.opens and self._kind == "themes")
        return True

    def read(self, excerpts: Sequence[Excerpt], concerns: Callable[[str], bool]) -> Tail:
        """`concerns`: whether a theme is one of the recordings."""
        themes = dict.fromkeys(theme for line in self._themes for theme in _listed(line) if concerns(theme))
        quotes = (key_quote(*_quoted(line, excerpts), excerpts) for line in self._quotes)
        return Tail(tuple(themes)[:MOST_THEMES], next((quote for quote in quotes if quote), None))

    def _awaits(self) -> bool:
        """Whether nothing stands behind the label yet."""
        lines = self._themes if self._kind == "themes" else self._quotes
        return not lines or not bare(lines[-1]).strip()

    def _add(self, text: str, *, new: bool) -> None:
        lines = self._themes if self._kind == "themes" else self._quotes
        if new or not lines:
            lines.append(text)
        else:
            lines[-1] = f"{lines[-1]} {text}"


def key_quote(claim: str, named: int | None, excerpts: Sequence[Excerpt]) -> Quote | None:
    """The words that a model chose to stand for all, where an excerpt holds enough of them and they were said there.
    The excerpt with the number `named` is asked first."""
    words = tokens(claim[:_QUOTE_CHARS])
    if len(words) < _FEWEST or len(claim) > _QUOTE_CHARS:
        return None
    for excerpt in sorted(excerpts, key=lambda each: each.number != named):
        said = frozenset(tokens(excerpt.row.whole().text))
        if sum(word in said for word in words) < SHARED * len(words):
            continue
        found = align(claim, [excerpt.row])
        if found is not None:
            return Quote(found.span, found.match)
    return None


def _quoted(line: str, excerpts: Sequence[Excerpt]) -> tuple[str, int | None]:
    _, cites, _ = split(f"x {line}", {excerpt.number for excerpt in excerpts})
    return CITATION.sub(" ", line).strip(_OUTER), cites[0] if cites else None


def _listed(line: str) -> Iterable[str]:
    plain = bare(line)
    apart = _SEPARATOR if _SEPARATOR.search(plain.strip(" ;")) else _COMMA
    for part in apart.split(plain):
        theme = part.strip(_OUTER)
        if tokens(theme) and len(theme) <= _THEME_CHARS:
            yield theme
