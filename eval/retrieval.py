"""Does the search find the passage that holds the answer?

    python -m eval.retrieval --transcripts DIR --questions FILE [--set key=a,b,c …] [--json OUT]

A passage hits when any of its words lies in the answer. Longer passages hit more easily: their mean length is printed
beside the scores. Brackets hold the 95 % bootstrap interval over the questions.

With --rewrites FILE each question is searched for together with the imagined answers that the file holds for it; with
--llm as well, the models that the settings name make the file. `--set w_original=…` weighs the question against them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from eval import rewrites
from eval.assisted import Assistance, patience_of, patience_options
from eval.data import Data
from eval.options import Cell
from eval.ranked import run
from eval.runs import Run, digest, guarded
from eval.subject import Bench, prepare
from eval.sweeps import data_of, options, progress, sweep, table
from qandai.errors import UsageError
from qandai.model import Person
from qandai.settings import Settings

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
    parser = options(__doc__ or "")
    parser.add_argument("--rewrites", type=Path, metavar="FILE", help="imagined answers to each question, JSON lines")
    parser.add_argument("--llm", action="store_true", help="make that file with the models that the settings name")
    patience_options(parser)
    given = parser.parse_args(arguments)
    if given.llm:
        _make(given)
    imagined = rewrites.read(given.rewrites) if given.rewrites else {}

    def measure(bench: Bench, data: Data, cell: Cell) -> Run:
        with progress() as bar:
            embedding, step = given.embedding, bar("embedding", 0)
            subject = prepare(bench, data, cell, embedding=embedding, step=step, rewrites=imagined)
            return run(subject, seed=given.seed, step=bar("ranking", len(data.questions)))

    shown = (*SHOWN, "rewritten") if imagined else SHOWN
    print(table(sweep(given, "retrieval", measure, beside=digest([given.rewrites]) if imagined else ""), shown))


def _make(given: argparse.Namespace) -> None:
    """Writes --rewrites. Raises UsageError where there is no such option or no model."""
    if given.rewrites is None:
        raise UsageError("--llm makes imagined answers, and has no file for them.", hint="Name one: --rewrites FILE.")
    data = data_of(given)
    person = Person("archive", "The archive", language=data.language)
    with Assistance(Settings.read(home=given.home), patience=patience_of(given)) as assistance, progress() as bar:
        texts = [asked.text for asked in data.questions]
        found, missing = rewrites.make(assistance, person, texts, bar("imagining answers", len(texts)))
    rewrites.write(given.rewrites, found)
    if missing:
        print(f"{missing} questions have no imagined answers: a model or its provider failed.", file=sys.stderr)


if __name__ == "__main__":
    guarded(main)
