"""Two runs over the same questions, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eval.runs import Run
from eval.statistics import interval, paired

METRICS = {
    "retrieval": ("hit@1", "hit@5", "hit@10", "mrr", "ndcg@10", "right_video@1"),
    "end_to_end": ("right_play", "within_5s", "refused"),
    "expansion": ("hit@1", "hit@5", "hit@10", "mrr", "ndcg@10", "right_video@1"),
    "synthesis": ("holds_answer", "right_play", "refused"),
    "models": ("right_play", "within_5s", "refused"),
    "judge": ("directness",),
    "refusal": ("confidence",),
}


@dataclass(frozen=True, slots=True)
class Difference:
    """`gain` is how much the second is higher, `bounds` its 95 % interval; `better` and `worse` count questions."""

    metric: str
    one: float
    other: float
    gain: float
    bounds: tuple[float, float] | None
    p: float
    better: int
    worse: int


def differences(one: Run, other: Run, *, seed: int = 0) -> list[Difference]:
    """Over the questions that both have asked, found by their ids; empty where there are none."""
    found = []
    for metric in METRICS.get(one.module, ()):
        ours, theirs = _values(one, metric), _values(other, metric)
        shared = [row_id for row_id in ours if row_id in theirs]
        if not shared:
            continue
        before, after = [ours[row_id] for row_id in shared], [theirs[row_id] for row_id in shared]
        gains = [there - here for here, there in zip(before, after, strict=True)]
        found.append(
            Difference(
                metric,
                sum(before) / len(before),
                sum(after) / len(after),
                sum(gains) / len(gains),
                interval(gains, seed=seed),
                paired(before, after, seed=seed),
                sum(gain > 0 for gain in gains),
                sum(gain < 0 for gain in gains),
            )
        )
    return found


def pairs(runs: Sequence[Run]) -> list[tuple[Run, Run]]:
    """Each run of one module and data with the first of the same."""
    first: dict[tuple[str, str, object], Run] = {}
    found = []
    for run in runs:
        key = (
            run.module,
            str(run.data.get("hashes")),
            (run.data.get("name"), run.data.get("reborder"), run.data.get("slips")),
        )
        if key in first:
            found.append((first[key], run))
        else:
            first[key] = run
    return found


def _values(run: Run, metric: str) -> dict[str, float]:
    return {
        str(row["id"]): float(str(row[metric]))
        for row in run.rows
        if row.get(metric) is not None and row.get("answerable", True)
    }
