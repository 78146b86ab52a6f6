"""Does the search find the passage that holds the answer?

    python -m eval.retrieval --transcripts DIR --questions FILE [--set key=a,b,c …] [--json OUT]

A passage hits when any of its words lies in the answer. Longer passages hit more easily: their mean length is printed
beside the scores. Brackets hold the 95 % bootstrap interval over the questions.
"""

from __future__ import annotations

from collections.abc import Sequence

from eval.data import Data
from eval.options import Cell
from eval.ranked import run
from eval.runs import Run, guarded
from eval.subject import Bench, prepare
from eval.sweeps import options, progress, sweep, table

SHOWN = (
    "hit@1",
    "hit@5",
    "hit@10",
    "mrr",
    "ndcg@10",
    "right_video@1",
    "shown",
    "hit@shown",
    "mean_passage_chars",
    "rank_ms_p50",
)


def main(arguments: Sequence[str] | None = None) -> None:
    given = options(__doc__ or "").parse_args(arguments)

    def measure(bench: Bench, data: Data, cell: Cell) -> Run:
        with progress() as bar:
            subject = prepare(bench, data, cell, embedding=given.embedding, step=bar("embedding", 0))
            return run(subject, seed=given.seed, step=bar("ranking", len(data.questions)))

    print(table(sweep(given, "retrieval", measure), SHOWN))


if __name__ == "__main__":
    guarded(main)
