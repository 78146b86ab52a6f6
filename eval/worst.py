"""The questions of a run that went worst, with what was played or ranked first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eval.parts import Table
from eval.runs import Row, Run

WORST = 20


def worst(run: Run) -> Table:
    """Retrieval: the answers that rank lowest. End to end: what failed, refusals last, then the largest errors."""
    if run.module == "retrieval":
        ordered = sorted(run.rows, key=lambda row: (row.get("rank") is not None, -_number(row.get("rank"))))[:WORST]
        low = [
            (str(row["id"]), str(row["question"]), str(row.get("rank") or "not in 100"), _top(row)) for row in ordered
        ]
        return Table(("id", "question", "rank of the answer", "ranked first"), tuple(low))
    failed = {"retrieval": 0, "selection": 1, "refused": 2, "right": 3}
    asked = [row for row in run.rows if row.get("answerable", True)]
    ordered = sorted(asked, key=lambda row: (failed.get(str(row.get("outcome")), 4), -abs(_number(row.get("error")))))
    rows = [
        (str(row["id"]), str(row["question"]), str(row.get("outcome")), _played(row), _gold(row))
        for row in ordered[:WORST]
    ]
    return Table(("id", "question", "outcome", "played", "answered"), tuple(rows))


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _top(row: Row) -> str:
    top = row.get("top")
    first = top[0] if isinstance(top, Sequence) and top else None
    if not isinstance(first, Mapping):
        return "–"
    return f"{_moment(str(first['passage_id']).rpartition(':')[0], _number(first.get('start')))} {first.get('text')}"


def _played(row: Row) -> str:
    played = row.get("played")
    if not isinstance(played, Mapping):
        return "–"
    return f"{_moment(str(played['video_id']), _number(played.get('start')))} {played.get('text')}"


def _gold(row: Row) -> str:
    gold = row.get("gold")
    first = gold[0] if isinstance(gold, Sequence) and gold else None
    return _moment(str(first["video_id"]), _number(first.get("answer"))) if isinstance(first, Mapping) else "–"


def _moment(video_id: str, second: float) -> str:
    """`video@12.3`, which the page turns into a link where the id is one of YouTube's."""
    return f"{video_id}@{second:.1f}"
