"""What does a visitor get: does the sound begin inside the right answer?

    python -m eval.end_to_end --transcripts DIR --questions FILE [--set key=a,b,c …] [--json OUT]

right_play: the second that is played lies in [gold start - 5 s, gold end] of the right recording. within_5s: of the
answer's first word. Errors are those of the right plays. A refused question that has an answer is not right.
Brackets hold the 95 % bootstrap interval over the questions.
"""

from __future__ import annotations

from collections.abc import Sequence

from eval.data import Data
from eval.options import Cell
from eval.played import run
from eval.runs import Run, guarded
from eval.subject import Bench, prepare
from eval.sweeps import options, progress, sweep, table

SHOWN = (
    "right_play", "within_5s", "median_start_error", "p90_start_error", "starts_on_question", "refused",
    "failed_retrieval", "failed_selection", "ms_p50", "ms_p95",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    given = options(__doc__ or "").parse_args(arguments)

    def measure(bench: Bench, data: Data, cell: Cell) -> Run:
        with progress() as bar:
            subject = prepare(bench, data, cell, embedding=given.embedding, step=bar("embedding", 0))
            return run(subject, seed=given.seed, step=bar("asking", len(data.questions)))

    print(table(sweep(given, "end_to_end", measure), SHOWN))


if __name__ == "__main__":
    guarded(main)
