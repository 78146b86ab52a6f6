"""Which model chooses best, and how should it name what it chooses?

    python -m eval.models --transcripts DIR --questions FILE [--models a,b] [--ways quote,sentences] [--json FOLDER]

Every model of the provider that is set is asked in every way of naming a passage, for the same questions with the same
excerpts, and the recordings alone stand beside them (none). Only the choice is the models': no answers are imagined.
Replies are kept in store/replies, so a grid that is broken off goes on, and one that is repeated costs nothing; times
are those of the calls when they were made. With --judge, twice, two further models judge each combination (eval.judge).

unusable: replies that could not be used; unverified: among them passages that were never said. Both are followed by
what the recordings say for themselves. Questions that a provider failed are counted (provider_errors) and in no other
figure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import get_args

from eval import judge as judging
from eval.assisted import SELECT, Assistance, named, patience_of, patience_options
from eval.figures import intervals
from eval.figures import metrics as play_metrics
from eval.figures import rows as play_rows
from eval.options import Cell
from eval.patient import Patience
from eval.played import Way, ask_all
from eval.runs import Run, guarded, write_run
from eval.subject import Bench, Subject, prepare
from eval.sweeps import data_of, options, progress, table
from qandai.adapters import llms
from qandai.chat import Llm
from qandai.errors import UsageError
from qandai.settings import SelectWay, Settings

SHOWN = (
    "right_play", "within_5s", "refused", "unusable", "unverified", "tokens_in", "tokens_out", "model_ms_p50",
    "model_ms_p95", "ms_p50", "ms_p95", "provider_errors",
)  # fmt: skip
OF_JUDGES = ("directness", "agree_within_1", "kappa", "judged")


def measure(
    subject: Subject, label: str, way: Way, judges: Sequence[Llm] = (), *, seed: int = 0, told: Mapping[str, object]
) -> Run:
    """One combination. Raises as the asker does, and AccessRefused."""
    with progress() as bar:
        played = ask_all(subject, way, bar(label, len(subject.data.questions)))
        step = bar("judging", len(played) if judges else 0)
        judged = []
        for one in played if judges else ():
            judged.append(judging.judge(one, judges))
            step(1)
    rows, figures = play_rows(played), dict(play_metrics(played, models=way.models is not None))
    if judges:
        names = [llm.model for llm in judges]
        scored = judging.metrics(judged, names)
        figures |= {name: scored.get(name) for name in OF_JUDGES} | {
            "judge_errors": scored["provider_errors"],
            "judge_unusable": scored["unusable"],
        }
        scores = [{"directness": one.mean, "scores": dict(one.scores)} for one in judged]
        rows = [row | score for row, score in zip(rows, scores, strict=True)]
    settings = subject.described() | way.described() | dict(told) | {"label": label}
    return Run("models", settings, subject.data.described(), figures, rows, seed, intervals(rows, seed))


def grid(
    subject: Subject,
    models: Sequence[str],
    ways: Sequence[SelectWay],
    judges: Sequence[Llm] = (),
    *,
    patience: Patience,
    seed: int = 0,
) -> Iterator[Run]:
    """The recordings alone, then each model in each way. Raises as `measure` does."""
    yield measure(subject, "none", Way(), judges, seed=seed, told={"way": None})
    for model in models:
        with Assistance(named(subject.settings, model), patience=patience) as assistance:
            for way in ways:
                helped = Way("clip", assistance, assistance.models([SELECT], way=way), steps=(SELECT,))
                told = {"way": way, "model_select": model}
                yield measure(subject, f"{model} · {way}", helped, judges, seed=seed, told=told)


def models_of(settings: Settings, given: str | None) -> tuple[str, ...]:
    """Those that were named, else those that the settings let choose. Raises UsageError where there are none."""
    names = tuple(dict.fromkeys(name.strip() for name in (given or "").split(",") if name.strip()))
    if names and llms.kind_of(settings) in ("local", "echo"):
        raise UsageError(f"QANDAI_LLM={settings.llm} is one model.", hint="Leave --models out.")
    if not names:
        with Assistance(settings) as assistance:
            names = tuple(llm.model for llm in assistance.steps.get(SELECT, ()))
    return names


def ways_of(given: str) -> tuple[SelectWay, ...]:
    """Raises UsageError."""
    known: dict[str, SelectWay] = {way: way for way in get_args(SelectWay)}
    wanted = [way.strip() for way in given.split(",") if way.strip()]
    if not wanted or not set(wanted) <= known.keys():
        raise UsageError(f"--ways {given}: it takes {', '.join(known)}.")
    return tuple(known[way] for way in dict.fromkeys(wanted))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = options(__doc__ or "", sweeps=False)
    parser.add_argument("--models", metavar="A,B", help="of the provider that is set; default: those that choose")
    parser.add_argument("--ways", default=",".join(get_args(SelectWay)), help="default: %(default)s")
    parser.add_argument("--judge", action="append", default=[], metavar="MODEL", help="twice, to have clips judged")
    parser.add_argument("--related", action="store_true", help="judges may be of one family")
    patience_options(parser)
    given = parser.parse_args(arguments)
    if len(given.judge) not in (0, 2):
        raise UsageError("--judge is given twice, or not at all.")
    settings, data, patience = Settings.read(home=given.home), data_of(given), patience_of(given)
    models, ways = models_of(settings, given.models), ways_of(given.ways)
    runs = []
    with ExitStack() as stack:
        panel = [stack.enter_context(Assistance(named(settings, name), patience=patience)) for name in given.judge]
        judges = judging.panel(panel, related=given.related) if panel else ()
        with progress() as bar:
            subject = prepare(Bench(given.home), data, Cell(), embedding=given.embedding, step=bar("embedding", 0))
        for number, run in enumerate(grid(subject, models, ways, judges, patience=patience, seed=given.seed)):
            runs.append(run)
            if given.json:
                write_run(given.json / f"models-{data.name}-{number}.json", run)
    print(table(runs, SHOWN))
    if judges:
        print(table(runs, OF_JUDGES))


if __name__ == "__main__":
    guarded(main)
