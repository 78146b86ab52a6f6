"""What imagined answers add to the search, and how much the question should count beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from eval import ranked, rewrites
from eval.data import Data
from eval.options import cells
from eval.runs import Run, digest, write_run
from eval.subject import Bench, prepare
from eval.sweeps import name_of, progress, read_back

WEIGHTS = (1, 2, 3, 5)
DEPTHS = (4, 8, 16)
KS = (2, 10, 60)

MISSING = (
    "Expansion is not measured for {sets}: no imagined answers are kept for them in {folder}. With QANDAI_LLM set, "
    "`python -m eval.retrieval --transcripts … --questions SET.jsonl --llm --rewrites {folder}/SET.jsonl` makes them."
)


def kept(folder: Path, sets: Sequence[str]) -> tuple[list[str], str]:
    """The sets of questions for which there are imagined answers, and what to say of the others; empty for none."""
    there = [name for name in sets if (folder / f"{name}.jsonl").is_file()]
    missing = [name for name in sets if name not in there]
    return there, MISSING.format(sets=", ".join(missing), folder=folder) if missing else ""


def measure(bench: Bench, data: Data, folder: Path, out: Path) -> Iterator[Run]:
    """The question alone, then with its imagined answers at every weight, depth and k. Finished runs are read back."""
    path = folder / f"{data.name}.jsonl"
    imagined, beside = rewrites.read(path), digest([path])
    weights, depths, ks = (",".join(map(str, values)) for values in (WEIGHTS, DEPTHS, KS))
    grid = cells([f"w_original={weights}", f"rewrite_depth={depths}", f"rewrite_k={ks}"])
    for cell in (*cells([]), *grid):
        found = imagined if cell.given else {}
        file = out / "runs" / f"expansion-{data.name}-{name_of(data, cell, beside)}.json"
        run = read_back(file, data)
        if run is None:
            with progress() as bar:
                subject = prepare(bench, data, cell, step=bar("embedding", 0), rewrites=found)
                run = ranked.run(subject, step=bar("ranking", len(data.questions)))
            label = cell.label if cell.given else "the question alone"
            run = replace(run, module="expansion", settings=dict(run.settings) | {"label": label})
            write_run(file, run)
        yield run
