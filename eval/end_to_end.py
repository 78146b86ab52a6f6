"""What does a visitor get: does the sound begin inside the right answer?

    python -m eval.end_to_end --transcripts DIR --questions FILE [--set key=a,b,c …] [--json OUT]

right_play: the second that is played lies in [gold start - 5 s, gold end] of the right recording. within_5s: of the
answer's first word. Errors are those of the right plays. A refused question that has an answer is not right.
Brackets hold the 95 % bootstrap interval over the questions.

Without --llm no model is asked, whatever the settings name. With it the models that they name help, patiently:
questions that a provider failed are counted apart (provider_errors) and are in no other figure. --mode synthesis
measures the text as well: does it, or what it cites, hold the answer (holds_answer), does it say the words that it must
(contains), are its sentences supported by what they cite (supported).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import ExitStack

from eval.assisted import Assistance, patience_of, patience_options
from eval.data import Data
from eval.options import Cell
from eval.played import Way, run
from eval.runs import Run, guarded
from eval.subject import Bench, prepare
from eval.sweeps import options, progress, sweep, table
from qandai.settings import Settings

SHOWN = (
    "right_play", "within_5s", "median_start_error", "p90_start_error", "starts_on_question", "refused",
    "failed_retrieval", "failed_selection", "ms_p50", "ms_p95",
)  # fmt: skip

OF_TEXTS = ("holds_answer", "contains", "text_missing", "sentences", "supported", "citations")
OF_MODELS = ("provider_errors", "called", "unusable", "unverified", "tokens_in", "tokens_out", "model_ms_p50")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = options(__doc__ or "")
    parser.add_argument("--mode", choices=("clip", "synthesis", "auto"), default="clip", help="default: clip")
    parser.add_argument("--llm", action="store_true", help="with the models that the settings name")
    patience_options(parser)
    given = parser.parse_args(arguments)
    with ExitStack() as stack:
        way = _way(given, stack)

        def measure(bench: Bench, data: Data, cell: Cell) -> Run:
            with progress() as bar:
                subject = prepare(bench, data, cell, embedding=given.embedding, step=bar("embedding", 0))
                return run(subject, way=way, seed=given.seed, step=bar("asking", len(data.questions)))

        runs = sweep(given, "end_to_end", measure, beside=str(way.described()))
    print(table(runs, SHOWN))
    for further in [*([OF_TEXTS] if given.mode != "clip" else []), *([OF_MODELS] if given.llm else [])]:
        print(table(runs, further))


def _way(given: argparse.Namespace, stack: ExitStack) -> Way:
    if not given.llm:
        return Way(given.mode)
    settings = Settings.read(home=given.home)
    assistance = stack.enter_context(Assistance(settings, patience=patience_of(given)))
    return Way(given.mode, assistance, assistance.models())


if __name__ == "__main__":
    guarded(main)
