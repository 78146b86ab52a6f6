"""The weights that rank passages, as they were learned: a small file that `eval.train` makes and nobody edits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Ranker:
    """`weights` by the names of `Searcher.evidence`; `trained_on` names collections."""

    weights: Mapping[str, float]
    trained_on: tuple[str, ...] = ()

    @classmethod
    def read(cls, path: Path) -> Ranker:
        """Raises OSError, ValueError, KeyError for a file that `eval.train` did not write."""
        document = json.loads(path.read_text(encoding="utf-8"))
        weights = {str(name): float(weight) for name, weight in document["weights"].items()}
        return cls(weights, tuple(document["trained_on"]))


SHIPPED = Ranker.read(Path(__file__).with_name("ranker.json"))
