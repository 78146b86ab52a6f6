"""What a run changes: `--set key=a,b,c`, several of them a grid, and presets that stand for several keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import Any, get_args

from qandai import compose
from qandai.errors import UsageError
from qandai.retrieval.ranking import Ranking
from qandai.settings import Fusion, PassageCut, Settings

Value = str | int | float | None

PRESETS: Mapping[str, Mapping[str, Value]] = {
    "defaults": {},
    # What this product grew from: long passages, vectors only, short runs; each excerpt with the passage that follows.
    "seed": {
        "passage_chars": 1000,
        "passage_overlap": 0,
        "passage_cut": "sentences",
        "models": 1,
        "fusion": "vectors",
        "slips": 0,
        "keep": 8,
        "w_original": 3.0,
        "excerpt_chars": 0,
        "copies": None,
        "top_k": 5,
    },
}

_FOLDERS = frozenset({"minilm_path", "e5_path", "reranker"})
_CHOICES: Mapping[str, tuple[str, ...]] = {"passage_cut": get_args(PassageCut)}
_OF_SETTINGS = frozenset(
    {*_FOLDERS, *_CHOICES, "passage_chars", "passage_overlap", "fusion", "w_bm25", "top_k", "floor", "lead_seconds"}
)
_OF_RANKING = frozenset(spec.name for spec in fields(Ranking)) - {"ranker"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination of a grid: the keys as they were given, in order."""

    given: tuple[tuple[str, Value], ...] = ()

    @property
    def label(self) -> str:
        return " · ".join(f"{key}={_shown(value)}" for key, value in self.given) or "defaults"

    @property
    def values(self) -> Mapping[str, Value]:
        """Presets written out; what is given beside a preset goes before it."""
        named = [key_values for key, value in self.given if key == "preset" for key_values in [PRESETS[str(value)]]]
        merged: dict[str, Value] = {key: value for preset in named for key, value in preset.items()}
        return merged | {key: value for key, value in self.given if key != "preset"}

    def settings(self, **given: object) -> Settings:
        """The program's own settings with the changes. Raises UsageError for a value out of bounds."""
        allowed = get_args(Fusion)
        changes: dict[str, Any] = {
            key: Path(str(value)) if key in _FOLDERS and value is not None else value
            for key, value in self.values.items()
            if key in _OF_SETTINGS and (key != "fusion" or value in allowed)
        }
        return Settings.read(None, **(dict(given) | changes))

    def ranking(self, settings: Settings) -> Ranking:
        changes: dict[str, Any] = {key: value for key, value in self.values.items() if key in _OF_RANKING}
        return replace(compose.ranking(settings), **changes)


def cells(given: Sequence[str]) -> tuple[Cell, ...]:
    """The grid of all `key=a,b,c`. Raises UsageError for a key or preset that does not exist."""
    axes: list[list[tuple[str, Value]]] = []
    for text in given:
        key, equals, values = text.partition("=")
        if not equals or not values:
            raise UsageError(f"--set {text!r}: write key=value, or key=a,b,c for a sweep.")
        _check(key.strip())
        axes.append([(key.strip(), _value(key.strip(), value.strip())) for value in values.split(",")])
    return tuple(Cell(combination) for combination in product(*axes))


def _check(key: str) -> None:
    known = sorted(_OF_SETTINGS | _OF_RANKING | {"preset", "models"})
    if key not in known:
        near = get_close_matches(key, known, n=1)
        raise UsageError(
            f"There is no setting {key!r}{f'; did you mean {near[0]!r}' if near else ''}.",
            hint=f"--set takes {', '.join(known)}.",
        )


def _value(key: str, text: str) -> Value:
    if key == "preset" and text not in PRESETS:
        raise UsageError(f"There is no preset {text!r}.", hint=f"Presets: {', '.join(PRESETS)}.")
    if key == "fusion" and text not in _fusions():
        raise UsageError(f"There is no fusion {text!r}.", hint=f"Fusions: {', '.join(_fusions())}.")
    if text not in _CHOICES.get(key, (text,)):
        raise UsageError(f"There is no {key} {text!r}.", hint=f"It is one of {', '.join(_CHOICES[key])}.")
    if text.lower() == "none":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _fusions() -> tuple[str, ...]:
    return (*get_args(Fusion), "votes")


def _shown(value: Value) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
