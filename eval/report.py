"""Runs as one page to read, with pictures.

    python -m eval.report RUN… [--out DIR] [--markdown]

Writes index.html (self-contained) and the pictures as PNG; with --markdown also report.md. RUN is a file that --json
wrote, or a folder of them. Every run is compared with the first of the same module and questions.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from eval import charts
from eval.columns import COLUMNS, TITLES
from eval.compare import Difference, differences, pairs
from eval.markdown import as_markdown
from eval.page import page
from eval.parts import Picture, Section, Table
from eval.runs import Run, guarded, read_run
from eval.worst import WORST, worst
from qandai.errors import UsageError

SWEEP = 3
"""Settings of the same questions from which on a picture shows them as a sweep."""


def sections(runs: Sequence[Run]) -> list[Section]:
    found = []
    for module in dict.fromkeys(run.module for run in runs):
        some = [run for run in runs if run.module == module]
        parts: list[Table | Picture | str] = [_figures(module, some), *_pictures(module, some)]
        compared = [(pair, differences(*pair)) for pair in pairs(some)]
        if any(found_ for _, found_ in compared) and module != "refusal":
            parts += ["Against the first run of the same questions (paired randomisation, 10,000 rounds):"]
            parts.append(_compared(compared))
        found.append(Section(TITLES.get(module, module), tuple(parts)))
    found += [Section(f"The worst {WORST}: {run.name}", (worst(run),)) for run in _firsts(runs)]
    found.append(Section("How this was measured", (_provenance(runs),)))
    return found


def _figures(module: str, runs: Sequence[Run]) -> Table:
    if module == "alignment":
        return _alignment(runs)
    names = COLUMNS.get(module) or tuple(name for name in runs[0].metrics if runs[0].number(name) is not None)
    rows = [
        (
            str(run.data.get("name") or "–"),
            str(run.settings.get("label", "–")),
            str(_count(run)),
            *(_figure(run, name) for name in names),
        )
        for run in runs
    ]
    return Table(("data", "settings", "n", *names), tuple(rows))


def _count(run: Run) -> int:
    return sum(bool(row.get("answerable", True)) for row in run.rows)


def _figure(run: Run, name: str) -> str:
    value = run.number(name)
    if value is None:
        return "–"
    bounds = run.intervals.get(name)
    text = _short(value)
    return f"{text} ({_short(bounds[0])} to {_short(bounds[1])})" if bounds else text


def _short(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 2 else f"{value:.2f}" if abs(value) < 20 else f"{value:.0f}"


def _alignment(runs: Sequence[Run]) -> Table:
    rows = []
    names: list[str] = []
    for run in runs:
        for aligner, kinds in run.metrics.items():
            for kind, figures in kinds.items() if isinstance(kinds, Mapping) else ():
                if isinstance(figures, Mapping):
                    names = names or list(figures)
                    rows.append(
                        (
                            aligner,
                            kind,
                            *(_short(figures[n]) if isinstance(figures.get(n), float) else "–" for n in names),
                        )
                    )
    return Table(("aligner", "perturbation", *names), tuple(rows))


def _pictures(module: str, runs: Sequence[Run]) -> Iterator[Picture]:
    few = len({str(run.settings.get("label")) for run in runs}) <= len(charts.COLOURS)
    if module == "retrieval":
        if few:
            yield Picture("retrieval", "Hit rates", charts.scores(runs, ("hit@1", "hit@5", "mrr"), "Retrieval"))
        yield from _sweeps(runs, "hit@1")
    if module == "end_to_end":
        if few:
            yield Picture("end_to_end", "Right plays", charts.scores(runs, ("right_play", "within_5s"), "End to end"))
        yield Picture("failures", "What became of the questions", charts.failures(_outcomes(runs)))
        for number, some in enumerate(_fours(runs), 1):
            yield Picture(f"errors-{number}", "Distances from the answer's first word", charts.errors(some))
        yield Picture("latency", "Milliseconds by stage", charts.latency(runs))
        yield from _sweeps(runs, "right_play")
    if module == "refusal":
        yield Picture("refusal", "Error rates over all floors", charts.curve(runs))


def _sweeps(runs: Sequence[Run], metric: str) -> Iterator[Picture]:
    for number, name in enumerate(dict.fromkeys(str(run.data.get("name")) for run in runs), 1):
        some = [run for run in runs if run.data.get("name") == name]
        if len(some) >= SWEEP:
            title = f"{metric} of {name} for each combination"
            yield Picture(f"sweep-{metric.replace('@', '-at-')}-{number}", title, charts.sweep(some, metric))


def _fours(runs: Sequence[Run]) -> Iterator[Sequence[Run]]:
    timed = [run for run in runs if any(row.get("error") is not None for row in run.rows)]
    for begin in range(0, len(timed), 4):
        yield timed[begin : begin + 4]


def _outcomes(runs: Sequence[Run]) -> dict[str, Counter[str]]:
    return {
        run.name: Counter(str(row.get("outcome")) for row in run.rows if row.get("answerable", True)) for run in runs
    }


def _compared(compared: Sequence[tuple[tuple[Run, Run], Sequence[Difference]]]) -> Table:
    rows = []
    for (one, other), found in compared:
        for each in found:
            bounds = f" ({each.bounds[0]:+.3f} to {each.bounds[1]:+.3f})" if each.bounds else ""
            rows.append(
                (
                    str(one.data.get("name")),
                    f"{one.settings.get('label')} → {other.settings.get('label')}",
                    each.metric,
                    f"{each.one:.3f} → {each.other:.3f}",
                    f"{each.gain:+.3f}{bounds}",
                    "< 0.001" if each.p < 0.001 else f"{each.p:.3f}",
                    f"{each.better} / {each.worse}",
                )
            )
    return Table(("data", "settings", "metric", "figures", "difference", "p", "questions higher / lower"), tuple(rows))


def _firsts(runs: Sequence[Run]) -> Iterator[Run]:
    """One run of each set of questions, of the modules whose questions can fail."""
    seen = set()
    for run in runs:
        key = (run.module, run.data.get("name"))
        if run.module in ("retrieval", "end_to_end") and key not in seen:
            seen.add(key)
            yield run


def _provenance(runs: Sequence[Run]) -> Table:
    rows = []
    for run in runs:
        hashes = run.data.get("hashes")
        short = [str(value)[:12] for value in hashes.values()] if isinstance(hashes, Mapping) else [str(hashes or "–")]
        trained = run.settings.get("ranker_trained_on")
        rows.append(
            (
                run.module,
                run.name,
                f"{run.code.get('version')} {run.code.get('commit') or ''}".strip(),
                str(run.seed),
                " ".join(short),
                str(run.settings.get("model", "–")),
                ", ".join(map(str, trained)) if isinstance(trained, Sequence) else "–",
            )
        )
    return Table(("module", "run", "code", "seed", "data", "model", "ranker trained on"), tuple(rows))


def read_all(paths: Sequence[Path]) -> list[Run]:
    files = [file for path in paths for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    if not files:
        raise UsageError("There is no run to report.", hint="Name files that --json wrote, or a folder of them.")
    runs = [read_run(file) for file in files]
    modules = {module: at for at, module in enumerate(TITLES)}
    return sorted(runs, key=lambda run: (modules.get(run.module, 9), str(run.data.get("name")), not _default(run)))


def _default(run: Run) -> bool:
    """Today's settings come first, so that others are compared with them."""
    return str(run.settings.get("label")) in ("defaults", "preset=defaults", "the question alone", "none")


def write(runs: Sequence[Run], out: Path, *, title: str, markdown: bool = False, notes: str = "") -> None:
    out.mkdir(parents=True, exist_ok=True)
    found = sections(runs)
    if notes:
        found.insert(0, Section("Notes", (notes,)))
    for section in found:
        for part in section.parts:
            if isinstance(part, Picture):
                (out / f"{part.name}.png").write_bytes(part.png)
    (out / "index.html").write_text(page(escape(title), found), encoding="utf-8")
    if markdown:
        (out / "report.md").write_text(as_markdown(title, found), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="a run, or a folder of runs")
    parser.add_argument("--out", type=Path, default=Path("store/report"), help="a folder; default: store/report")
    parser.add_argument("--title", default="Evaluation")
    parser.add_argument("--markdown", action="store_true", help="write report.md, too")
    given = parser.parse_args()
    write(read_all(given.runs), given.out, title=given.title, markdown=given.markdown)
    print(given.out / "index.html")


if __name__ == "__main__":
    guarded(main)
