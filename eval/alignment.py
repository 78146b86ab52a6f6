"""`python -m eval.alignment --transcripts DIR …`: is a quote found where it was said, whatever a model did to it?

Passages of word-timed recordings are quoted, verbatim and under every perturbation, and looked for in an excerpt around
them and in their whole recording. The same quotes are looked for in recordings that do not hold them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import cast

from rich.console import Console
from rich.progress import track
from rich.table import Table

from eval.aligners import ALIGNERS
from eval.perturb import PERTURBATIONS
from eval.quoting import Outcome, Quoting, summarise
from eval.runs import Run, guarded, write_run
from eval.spoken import Held, Passage, choose, recordings
from qandai.errors import UsageError
from qandai.model import Row

Metrics = dict[str, dict[str, dict[str, float | None]]]
PASSAGES = 600
_SHARES = ("found", "within_0.5s", "early_5s", "wrongly_found")


class Measuring:
    """What a process needs to measure passages; built once in each."""

    held: Quoting

    @classmethod
    def begin(cls, rows: Sequence[Row], aligners: Sequence[str], seed: int) -> None:
        cls.held = Quoting(rows, aligners, seed)

    @classmethod
    def one(cls, job: tuple[int, Passage]) -> list[Outcome]:
        return list(cls.held.outcomes(*job))


def measure(rows: Sequence[Row], passages: Sequence[Passage], aligners: Sequence[str], seed: int) -> list[Outcome]:
    """Every passage under every perturbation with every aligner, on two processes."""
    begin = (rows, aligners, seed)
    found: list[Outcome] = []
    with ProcessPoolExecutor(2, get_context("spawn"), initializer=Measuring.begin, initargs=begin) as pool:
        measured = pool.map(Measuring.one, enumerate(passages), chunksize=10)
        quiet = not sys.stderr.isatty()
        for outcomes in track(
            measured, "Aligning", len(passages), console=Console(stderr=True), disable=quiet, transient=True
        ):
            found += outcomes
    return found


def metrics(found: Sequence[Outcome]) -> Metrics:
    """{aligner: {perturbation: figures}}, in the order in which they were measured."""
    groups: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in found:
        groups.setdefault((outcome.aligner, outcome.perturbation), []).append(outcome)
    figures: Metrics = {}
    for (aligner, perturbation), outcomes in groups.items():
        figures.setdefault(aligner, {})[perturbation] = summarise(outcomes)
    return figures


def rows_of(held: Held, passages: Sequence[Passage], found: Sequence[Outcome]) -> list[dict[str, object]]:
    """One row a passage: the start error in seconds of each aligner under each perturbation, null for not found."""
    rows: list[dict[str, object]] = []
    errors: list[dict[str, dict[str, float | None]]] = [{} for _ in passages]
    for outcome in found:
        error = None if outcome.error is None else round(outcome.error, 3)
        errors[outcome.passage].setdefault(outcome.aligner, {})[outcome.perturbation] = error
    for number, passage in enumerate(passages):
        row = held.rows[passage.recording]
        words = row.span(passage.first, passage.first + passage.count - 1)
        rows.append({"id": words.id, "video_id": row.video.id, "start": words.start, "start_errors": errors[number]})
    return rows


def table(figures: Metrics) -> Table:
    shown = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("aligner", "perturbation", *_SHARES, "start_error_p99", "ms_p50", "ms_p99"):
        shown.add_column(heading, justify="left" if heading in ("aligner", "perturbation") else "right")
    for aligner, by_perturbation in figures.items():
        for perturbation, figure in by_perturbation.items():
            cells = [
                "–" if value is None else f"{value:.2%}" if key in _SHARES else f"{value:.2f}"
                for key, value in figure.items()
            ]
            shown.add_row(aligner, perturbation, *cells)
    return shown


def run(held: Held, aligners: Sequence[str] = tuple(ALIGNERS), *, limit: int = PASSAGES, seed: int = 1) -> Run:
    passages = choose(held.rows, limit, seed)
    found = measure(held.rows, passages, aligners, seed)
    return Run(
        "alignment",
        settings={"aligners": list(aligners), "perturbations": list(PERTURBATIONS)},
        data={"transcripts": held.files, "passages": len(passages)},
        metrics=metrics(found),
        rows=rows_of(held, passages, found),
        seed=seed,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m eval.alignment", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--transcripts", type=Path, nargs="+", required=True, metavar="DIR")
    parser.add_argument("--aligners", nargs="+", choices=list(ALIGNERS), default=list(ALIGNERS))
    parser.add_argument("--limit", type=int, default=PASSAGES, metavar="N", help=f"passages (default: {PASSAGES})")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the run here, too")
    given = parser.parse_args(arguments)
    missing = [str(folder) for folder in given.transcripts if not folder.is_dir()]
    if missing or given.limit < 1:
        raise UsageError(f"{', '.join(missing)}: no such folder." if missing else "--limit must be 1 or more.")
    measured = run(recordings(given.transcripts), given.aligners, limit=given.limit, seed=given.seed)
    Console(width=150).print(table(cast(Metrics, measured.metrics)))
    if given.json is not None:
        write_run(given.json, measured)


if __name__ == "__main__":
    guarded(main)
