"""What the commands of the evaluation share: their options, a progress bar, and runs that are read back."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from eval.data import Data, load
from eval.options import Cell, cells
from eval.runs import Run, made_by, read_run, write_run
from eval.subject import Bench
from qandai.errors import UsageError

Step = Callable[[int], object]


def options(description: str, *, sweeps: bool = True) -> argparse.ArgumentParser:
    """`sweeps`: several settings may be measured in one go."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transcripts", type=Path, required=True, help="a folder of transcript files")
    parser.add_argument("--questions", type=Path, required=True, help="a file of questions, JSON lines")
    parser.add_argument("--language", help="keep transcripts of this language; default: that of the questions")
    parser.add_argument("--embedding", help="minilm, e5, onnx:<folder> or openai:<model>; default: by language")
    parser.add_argument("--limit", type=int, help="only so many questions")
    parser.add_argument("--reborder", type=int, metavar="SEED", help="cut every recording anew at random borders")
    parser.add_argument("--slips", type=int, metavar="SEED", help="one slip of the fingers in each question")
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap; default 0")
    if sweeps:
        parser.add_argument(
            "--set", action="append", default=[], metavar="KEY=VALUE", help="change a setting; several: a sweep"
        )
        parser.add_argument("--again", action="store_true", help="measure what the folder of a sweep holds, too")
    several = "write the run here; of a sweep: a folder, one file a run" if sweeps else "a folder, one file a run"
    parser.add_argument("--json", type=Path, help=several)
    parser.add_argument("--home", type=Path, default=Path(), help="whose store/ caches the vectors; default: here")
    return parser


def data_of(given: argparse.Namespace) -> Data:
    if given.limit is not None and given.limit < 1:
        raise UsageError(f"--limit is {given.limit}; at least one question is needed.")
    data = load(given.transcripts, given.questions, language=given.language, limit=given.limit)
    data = data if given.reborder is None else data.rebordered(given.reborder)
    return data if given.slips is None else data.slipped(given.slips)


@contextmanager
def progress() -> Iterator[Callable[[str, int], Step]]:
    """`with progress() as bar: step = bar("ranking", 100); step(1)`, on stderr, if anybody watches."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as shown:

        def bar(title: str, total: int) -> Step:
            task = shown.add_task(title, total=total or None)
            return lambda count: shown.advance(task, count)

        yield bar


Measure = Callable[[Bench, Data, Cell], Run]


def sweep(given: argparse.Namespace, module: str, measure: Measure, *, beside: str = "") -> list[Run]:
    """Every cell of the grid; with a folder to write to, what is there already is read back.

    `beside`: a hash of whatever else is measured, which a file that is read back must have been made with.
    """
    data, grid, bench = data_of(given), cells(given.set), Bench(given.home)
    several = len(grid) > 1
    if given.json and several and given.json.suffix == ".json":
        raise UsageError("--json names a file, but a sweep makes several.", hint="Name a folder.")
    ordered = sorted(grid, key=lambda cell: str([cell.values.get(key) for key in ("passage_chars", "passage_overlap")]))
    done: dict[Cell, Run] = {}
    for number, cell in enumerate(ordered, 1):
        path = None
        if given.json:
            path = (
                given.json / f"{module}-{name_of(data, cell, f'{given.embedding} {beside}')}.json"
                if several
                else given.json
            )
        kept = None if path is None or not several or given.again else read_back(path, data)
        if kept is None:
            if several:
                print(f"{number}/{len(grid)} {cell.label}", file=sys.stderr)
            kept = measure(bench, data, cell)
            if path:
                write_run(path, kept)
        done[cell] = kept
    return [done[cell] for cell in grid]


def name_of(data: Data, cell: Cell, beside: str = "") -> str:
    """Different for every run: a file's name."""
    told = json.dumps([data.described(), sorted((k, str(v)) for k, v in cell.values.items()), cell.label, beside])
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def read_back(path: Path, data: Data) -> Run | None:
    """A finished run of the same code and data; None where there is none."""
    if not path.is_file():
        return None
    try:
        run = read_run(path)
    except UsageError:
        return None
    same = run.code.get("source") == made_by()["source"] and run.data.get("hashes") == data.described()["hashes"]
    return run if same else None


def table(runs: Sequence[Run], names: Sequence[str]) -> str:
    """Figures as text, a line a run, with what each changes."""
    width = max((len(str(run.settings.get("label"))) for run in runs), default=0)
    lines = [" " * width + "".join(f"{name:>20}" for name in names)]
    for run in runs:
        shown = "".join(f"{_figure(run, name):>20}" for name in names)
        lines.append(f"{run.settings.get('label')!s:{width}}{shown}")
    return "\n".join(lines)


def _figure(run: Run, name: str) -> str:
    value = run.number(name)
    if value is None:
        return "–"
    bounds = run.intervals.get(name)
    text = f"{value:.3f}" if abs(value) < 10 else f"{value:.0f}"
    return f"{text} [{bounds[0]:.2f} {bounds[1]:.2f}]" if bounds else text
