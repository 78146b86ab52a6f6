"""The pictures of a report, as PNG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eval.figures import STAGES
from eval.runs import Run

mpl.use("Agg")

INK, QUIET = "#1c2733", "#8b98a5"
COLOURS = ("#1f6f8b", "#d1495b", "#66a182", "#edae49", "#5f4b8b", "#7f7f7f")
_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "figure.dpi": 110,
}


def png(figure: Figure) -> bytes:
    """The same figure gives the same bytes."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)
    return buffer.getvalue()


def scores(runs: Sequence[Run], names: Sequence[str], title: str) -> bytes:
    """A group of bars a set of questions for each metric, a bar a setting, with 95 % intervals."""
    labels = list(dict.fromkeys(str(run.settings.get("label")) for run in runs))
    sets = list(dict.fromkeys(str(run.data.get("name")) for run in runs))
    by = {(str(run.data.get("name")), str(run.settings.get("label"))): run for run in runs}
    with mpl.rc_context(_STYLE):
        height = 1.3 + 0.2 * len(sets) * (len(labels) + 0.8)
        figure, axes = plt.subplots(
            1, len(names), figsize=(3.1 + 2.6 * len(names), height), sharey=True, squeeze=False, layout="constrained"
        )
        for place, (axis, name) in enumerate(zip(axes[0], names, strict=True)):
            for number, label in enumerate(labels):
                _bars(axis, [by.get((one, label)) for one in sets], name, label, number, len(labels))
            axis.set_title(name)
            axis.set_xlim(0, 1)
            axis.grid(axis="x", color="#e4e9ee", linewidth=0.8)
            axis.set_axisbelow(True)
            if place == 0:
                axis.set_yticks(range(len(sets)), sets)
                axis.invert_yaxis()
        handles = {
            label: handle for axis in axes[0] for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
        }
        figure.legend(handles.values(), handles, loc="outside lower center", ncols=min(4, len(handles)), frameon=False)
        figure.suptitle(title, x=0.01, ha="left", color=INK)
        return png(figure)


def _bars(axis: Axes, runs: Sequence[Run | None], name: str, label: str, number: int, count: int) -> None:
    thick = 0.8 / count
    for place, run in enumerate(runs):
        value = None if run is None else run.number(name)
        if run is None or value is None:
            continue
        at = place + (number - (count - 1) / 2) * thick
        shown = label if axis.get_legend_handles_labels()[1].count(label) == 0 else None
        axis.barh(at, value, thick * 0.9, color=COLOURS[number % len(COLOURS)], label=shown)
        bounds = run.intervals.get(name)
        if bounds:
            axis.plot(list(bounds), [at, at], color=INK, linewidth=1.2)
        axis.annotate(f"{value:.2f}", (0.01, at), va="center", fontsize=7, color="white")


def errors(runs: Sequence[Run]) -> bytes:
    """How far from the answer's first word right plays begin, and which share of them begins at most so far away."""
    with mpl.rc_context(_STYLE):
        figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.2))
        for number, run in enumerate(runs):
            found = np.array([float(str(row["error"])) for row in run.rows if row.get("error") is not None])
            if not len(found):
                continue
            colour = COLOURS[number % len(COLOURS)]
            label = f"{run.data.get('name')} · {run.settings.get('label')} (n = {len(found)})"
            left.hist(np.clip(found, -20, 60), bins=np.arange(-20, 61, 2), histtype="step", color=colour, density=True)
            ordered = np.sort(abs(found))
            right.plot(ordered, np.arange(1, len(ordered) + 1) / len(ordered), color=colour, label=label)
        left.axvline(0, color=QUIET, linewidth=0.8)
        left.set(title="Start against the answer's first word", xlabel="seconds (late is right; clipped at -20, 60)")
        left.set_yticks([])
        right.axvline(5, color=QUIET, linewidth=0.8, linestyle="--")
        right.set(
            title="At most so far away", xlabel="seconds", ylabel="share of right plays", xlim=(0, 60), ylim=(0, 1)
        )
        right.legend(frameon=False, fontsize=7, loc="lower right")
        figure.tight_layout()
        return png(figure)


def latency(runs: Sequence[Run]) -> bytes:
    """Median milliseconds of each stage, one bar a run."""
    stages = [stage for stage in STAGES if stage != "total"]
    with mpl.rc_context(_STYLE):
        figure, axis = plt.subplots(figsize=(8, 0.9 + 0.32 * len(runs)))
        for place, run in enumerate(runs):
            begun = 0.0
            for number, stage in enumerate(stages):
                value = run.number(f"{stage}_ms_p50") or 0.0
                colour = COLOURS[number % len(COLOURS)]
                axis.barh(place, value, left=begun, color=colour, label=stage if place == 0 else None)
                begun += value
            p95 = run.number("ms_p95")
            if p95 is not None:
                axis.plot(
                    [p95], [place], marker="|", color=INK, markersize=12, label="p95 of all" if place == 0 else None
                )
        axis.set_yticks(range(len(runs)), [f"{run.data.get('name')} · {run.settings.get('label')}" for run in runs])
        axis.invert_yaxis()
        axis.set_xlabel("milliseconds")
        axis.legend(frameon=False, fontsize=7, ncols=7, loc="lower center", bbox_to_anchor=(0.4, 1.0))
        figure.tight_layout()
        return png(figure)


def curve(runs: Sequence[Run]) -> bytes:
    """Both error rates of a refusal over all floors; the floor in use and the best one are marked."""
    with mpl.rc_context(_STYLE):
        columns = min(3, len(runs))
        lines = -(-len(runs) // columns)
        figure, axes = plt.subplots(
            lines, columns, figsize=(3.6 * columns, 0.3 + 2.7 * lines), squeeze=False, layout="constrained"
        )
        for axis in axes.flat[len(runs) :]:
            axis.set_visible(False)
        for axis, run in zip(axes.flat, runs, strict=False):
            points = np.array(run.metrics["curve"], float)
            axis.plot(points[:, 0], points[:, 1], color=COLOURS[1], label="answerable, refused")
            axis.plot(points[:, 0], 1 - points[:, 2], color=COLOURS[0], label="foreign, answered")
            axis.axvline(run.number("floor") or 0.0, color=INK, linewidth=0.9, label="floor in use")
            axis.axvline(
                run.number("best_floor") or 0.0, color=QUIET, linestyle="--", linewidth=0.9, label="best floor"
            )
            axis.set_title(
                f"{run.data.get('name')} ({run.settings.get('embedding')})\nAUC {run.number('auc') or 0:.3f}"
            )
            axis.set_xlabel("floor")
            axis.set_ylim(0, 1)
        handles, labels = axes.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2 if columns == 1 else 4, frameon=False)
        return png(figure)


def sweep(runs: Sequence[Run], metric: str) -> bytes:
    """One metric over the cells of a grid, best first."""
    ordered = sorted(runs, key=lambda run: -(run.number(metric) or 0.0))[:40]
    with mpl.rc_context(_STYLE):
        figure, axis = plt.subplots(figsize=(8, 0.8 + 0.2 * len(ordered)))
        for place, run in enumerate(ordered):
            value = run.number(metric) or 0.0
            axis.plot(list(run.intervals.get(metric, (value, value))), [place, place], color=QUIET)
            axis.plot([value], [place], marker="o", markersize=4, color=COLOURS[0])
        axis.set_yticks(range(len(ordered)), [str(run.settings.get("label")) for run in ordered])
        axis.invert_yaxis()
        axis.grid(axis="x", color="#e4e9ee")
        axis.set_title(f"{metric}, with 95 % intervals")
        figure.tight_layout()
        return png(figure)


def failures(counts: Mapping[str, Mapping[str, int]]) -> bytes:
    """What became of the questions: one bar a run, by outcome."""
    kinds = {"right": COLOURS[2], "selection": COLOURS[3], "retrieval": COLOURS[1], "refused": COLOURS[4]}
    told = {
        "right": "right",
        "selection": "read, but something else played",
        "retrieval": "not among what was read",
        "refused": "refused",
    }
    with mpl.rc_context(_STYLE):
        figure, axis = plt.subplots(figsize=(8, 0.9 + 0.32 * len(counts)))
        for place, found in enumerate(counts.values()):
            total = sum(found.values()) or 1
            begun = 0.0
            for kind, colour in kinds.items():
                share = found.get(kind, 0) / total
                axis.barh(place, share, left=begun, color=colour, label=told[kind] if place == 0 else None)
                if share > 0.04:
                    axis.annotate(f"{share:.0%}", (begun + share / 2, place), ha="center", va="center", fontsize=7)
                begun += share
        axis.set_yticks(range(len(counts)), list(counts))
        axis.invert_yaxis()
        axis.set_xlim(0, 1)
        axis.legend(frameon=False, fontsize=7, ncols=4, loc="lower center", bbox_to_anchor=(0.4, 1.0))
        figure.tight_layout()
        return png(figure)
