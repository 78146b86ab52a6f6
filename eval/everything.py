"""Every set of questions, today's settings beside the baselines, as one report: `make eval`.

    python -m eval.everything [--data DIR] [--only SET …] [--out DIR]

DIR (default: QANDAI_SHARED_DATA, else ../shared/data) holds transcripts/, qa/ and json3/. Runs that are finished are
read back as long as code and data are the same; vectors are cached in store/, so the first run is the long one.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval import alignment, expansion, played, ranked, refusal
from eval.data import Data, load
from eval.forecast import forecast
from eval.options import Cell, cells
from eval.report import write
from eval.runs import Run, digest, guarded, made_by, read_run, write_run
from eval.spoken import recordings
from eval.subject import Bench, prepare
from eval.sweeps import name_of, progress, read_back
from qandai.errors import UsageError

QUESTIONS = Path(__file__).parent / "questions"
WORD_TIMED = ("transcripts/woodenfish-words", "json3")
BASELINES = ("preset=seed", "fusion=votes")
REBORDER = 1
"""The seed with which the collections are cut anew whose layout follows their gold."""


@dataclass(frozen=True, slots=True)
class Collection:
    """`sets` of questions about one folder of transcripts. `foreign`: sets that are asked here in vain, `written` those
    of eval/questions that were written to be."""

    folder: str
    sets: tuple[str, ...]
    foreign: tuple[str, ...]
    refusing: str
    language: str | None = None
    follows_gold: bool = False
    written: str | None = None


COLLECTIONS = (
    Collection(
        "satisfactory-clips",
        ("satisfactory-clips", "satisfactory-visitor"),
        ("datatalksclub-visitor",),
        "satisfactory-visitor",
        follows_gold=True,
    ),
    Collection(
        "tutorialvqa",
        ("tutorialvqa-one-per-segment",),
        ("satisfactory-visitor",),
        "tutorialvqa-one-per-segment",
        follows_gold=True,
    ),
    Collection(
        "datatalksclub",
        ("datatalksclub-visitor", "datatalksclub-questions", "datatalksclub-audience", "datatalksclub-topics"),
        ("satisfactory-visitor",),
        "datatalksclub-visitor",
        written="datatalksclub-near-misses",
    ),
    Collection(
        "melenchon",
        ("melenchon-visitor", "melenchon-interviews", "melenchon-crosslingual-en-fr"),
        ("satisfactory-visitor",),
        "melenchon-visitor",
        language="fr",
        written="melenchon-foreign",
    ),
)


@dataclass(frozen=True, slots=True)
class Job:
    """One run. `foreign` None: not of refusals."""

    module: str
    data: Data
    cell: Cell
    foreign: tuple[Path, ...] = ()


def jobs(collection: Collection, qa: Path, data: Data, only: Sequence[str]) -> Iterator[Job]:
    """Those that share an archive come one after the other."""
    seed, votes = (cells([baseline])[0] for baseline in BASELINES)
    plain = [data.asking(qa / f"{name}.jsonl") for name in collection.sets if not only or name in only]
    foreign = [qa / f"{name}.jsonl" for name in collection.foreign]
    if collection.written:
        foreign.append(QUESTIONS / f"{collection.written}.jsonl")
    for one in plain:
        yield Job("retrieval", one, Cell())
        yield Job("retrieval", one, votes)
        yield Job("end_to_end", one, Cell())
    if any(one.name == collection.refusing for one in plain):
        yield Job("refusal", data.asking(qa / f"{collection.refusing}.jsonl"), Cell(), tuple(foreign))
    for one in plain:
        yield Job("retrieval", one, seed)
        yield Job("end_to_end", one, seed)
    if collection.follows_gold:
        anew = [one.rebordered(REBORDER) for one in plain]
        for cell in (Cell(), seed):
            for one in anew:
                yield Job("retrieval", one, cell)
                yield Job("end_to_end", one, cell)


def measure(bench: Bench, job: Job) -> Run:
    with progress() as bar:
        foreign = refusal.foreign_questions(job.foreign) if job.module == "refusal" else []
        texts = [asked.text for asked, _ in foreign]
        subject = prepare(bench, job.data, job.cell, foreign=texts, step=bar("embedding", 0))
        count = len(job.data.questions)
        if job.module == "retrieval":
            return ranked.run(subject, step=bar("ranking", count))
        if job.module == "refusal":
            return refusal.run(subject, foreign, bar("asking", count + len(foreign)))
        return played.run(subject, step=bar("asking", count))


def run_all(data: Path, out: Path, home: Path, only: Sequence[str]) -> list[Run]:
    """Raises UsageError for a set that does not exist."""
    known = [name for collection in COLLECTIONS for name in collection.sets]
    for name in only:
        if name not in known:
            raise UsageError(f"There is no set {name!r}.", hint=f"Sets: {', '.join(known)}.")
    wanted = [c for c in COLLECTIONS if not only or set(only) & set(c.sets)]
    bench, runs = Bench(home), []
    for collection in wanted:
        folder, qa = data / "transcripts" / collection.folder, data / "qa"
        archive = load(folder, qa / f"{collection.sets[0]}.jsonl", language=collection.language)
        todo = list(jobs(collection, qa, archive, only))
        kept = {at: read_back(_path(out, job), job.data) for at, job in enumerate(todo)}
        if None in kept.values():
            seconds = forecast(bench, archive, (Cell(), *cells(["preset=seed"])))
            if seconds > 30:
                _say(f"{collection.folder}: embedding will take about {seconds / 60:.0f} minutes, this once.")
        for at, job in enumerate(todo):
            found = kept[at]
            if found is None:
                began = time.perf_counter()
                found = measure(bench, job)
                write_run(_path(out, job), found)
                _say(f"{at + 1}/{len(todo)} {job.module} {found.name}: {time.perf_counter() - began:.0f} s")
            runs.append(found)
    return runs


def expanded(data: Path, out: Path, home: Path, only: Sequence[str], rewrites: Path) -> tuple[list[Run], str]:
    """Runs of the sets for which imagined answers are kept, and what to say of the others."""
    wanted = [(c, [name for name in c.sets if not only or name in only]) for c in COLLECTIONS]
    there, missing = expansion.kept(rewrites, [name for _, names in wanted for name in names])
    bench = Bench(home)
    runs: list[Run] = []
    for collection, names in wanted:
        for name in names:
            if name in there:
                folder, questions = data / "transcripts" / collection.folder, data / "qa" / f"{name}.jsonl"
                runs += expansion.measure(bench, load(folder, questions, language=collection.language), rewrites, out)
                _say(f"expansion {name}")
    return runs, missing


def aligned(data: Path, out: Path) -> Run:
    """Four ways to find a quote, in the recordings whose words are timed one by one."""
    held, path = recordings([data / folder for folder in WORD_TIMED]), out / "runs" / "alignment.json"
    if path.is_file():
        kept = read_run(path)
        if kept.code.get("source") == made_by()["source"] and kept.data.get("transcripts") == list(held.files):
            return kept
    began = time.perf_counter()
    found = alignment.run(held)
    write_run(path, found)
    _say(f"alignment: {time.perf_counter() - began:.0f} s")
    return found


def _path(out: Path, job: Job) -> Path:
    beside = digest([*job.foreign, refusal.ABSURD]) if job.module == "refusal" else ""
    return out / "runs" / f"{job.module}-{job.data.name.replace(', ', '-')}-{name_of(job.data, job.cell, beside)}.json"


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(os.environ.get("QANDAI_SHARED_DATA") or "../shared/data")
    parser.add_argument("--data", type=Path, default=shared, help="a folder with transcripts/ and qa/")
    parser.add_argument("--only", nargs="*", default=[], metavar="SET", help="only these sets of questions")
    parser.add_argument("--out", type=Path, default=Path("store/report"))
    parser.add_argument("--home", type=Path, default=Path(), help="whose store/ caches the vectors; default: here")
    parser.add_argument("--rewrites", type=Path, metavar="DIR", help="imagined answers, SET.jsonl; store/rewrites")
    given = parser.parse_args()
    for folder in ("qa", *WORD_TIMED):
        if not (given.data / folder).is_dir():
            raise UsageError(f"{given.data} has no {folder}/.", hint="QANDAI_SHARED_DATA or --data names the folder.")
    runs = run_all(given.data, given.out, given.home, given.only)
    rewrites = given.rewrites or given.home / "store" / "rewrites"
    imagined, missing = expanded(given.data, given.out, given.home, given.only, rewrites)
    runs += imagined
    if missing:
        _say(missing)
    if not given.only:
        runs.append(aligned(given.data, given.out))
    write(runs, given.out, title="Evaluation", markdown=True, notes=missing)
    print(given.out / "index.html")


if __name__ == "__main__":
    guarded(main)
