"""`python -m tests.bench_answers [--sizes 1000,10000,50000] [--json OUT]`: what indexing and answering cost here.

Up to a thousand passages are indexed for real. Above that the vectors are drawn at random: they cost the store and the
search what real ones cost. Each measure of a running site is taken in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from qandai import compose
from qandai.adapters.records import read_place
from qandai.adapters.timings import encode
from qandai.memory import give_back
from qandai.model import Question
from qandai.passages import cut
from qandai.ports import Shelf, Shelves
from qandai.settings import Settings
from tests.bench_archive import SEED, SHORT, SLUG, ensemble, index_drawn, prepare, talks, vocabulary

REAL = 1000
"""Passages up to which the real embedders are used."""

QUESTIONS = 60


@dataclass(frozen=True, slots=True)
class Figures:
    """Milliseconds, seconds, megabytes. `index_cpu_s` counts making the talks too; `embedded_per_s` counts texts,
    sentences among them, and is None where vectors were drawn. `word_bytes` is what a word's times take."""

    passages: int
    index_s: float
    index_cpu_s: float
    passages_per_s: float
    embedded_per_s: float | None
    nothing_to_do_s: float | None
    disk_mb: float
    word_bytes: float
    open_s: float
    first_answer_ms: float
    answer_p50_ms: float
    answer_p95_ms: float
    store_mb: float
    resident_mb: float


def index_for_real(settings: Settings, size: int, words: list[str]) -> tuple[float, float, float]:
    """(seconds, texts embedded a second, seconds of a run with nothing to do)."""
    transcripts, total, texts = compose.transcripts(settings), 0, 0
    for talk in talks(words, SHORT):
        passages = cut(talk.row, chars=settings.passage_chars)
        transcripts.write(SLUG, talk)
        total += len(passages)
        texts += len({passage.text for passage in passages} | {s.text for p in passages for s in p.sentences})
        if total >= size:
            break
    began = time.perf_counter()
    compose.indexer(settings).index(SLUG)
    seconds = time.perf_counter() - began
    began = time.perf_counter()
    compose.indexer(settings).index(SLUG)
    return seconds, texts / seconds, time.perf_counter() - began


def serve(home: Path) -> None:
    """In a process of its own: opens the store, answers questions, prints what it took."""
    settings = Settings.read({}, home=home)
    embedders = compose.Embedders(settings)
    for embedder in ensemble(settings, embedders):
        embedder.query("warm")
    before = resident_mb()
    shelves = compose.shelves(settings, embedders)
    began = time.perf_counter()
    with shelves.borrow(SLUG) as shelf:
        open_s = time.perf_counter() - began
        store_mb = resident_mb() - before
        texts = list(shelf.texts)
        per_word = word_bytes(shelf)
    times = answer_times(settings, shelves, embedders, texts)
    give_back()  # as a server does every minute
    figures = {
        "passages": len(texts),
        "open_s": open_s,
        "store_mb": store_mb,
        "word_bytes": per_word,
        "first_answer_ms": times[0],
        "answer_p50_ms": float(np.percentile(times[1:], 50)),
        "answer_p95_ms": float(np.percentile(times[1:], 95)),
        "resident_mb": resident_mb(),
    }
    sys.stdout.write(json.dumps(figures))


def word_bytes(shelf: Shelf) -> float:
    """What the times of a word take, over the first passages."""
    leaves = shelf.read(range(min(300, len(shelf.texts))))
    assert all(read_place(leaf.passage.id) for leaf in leaves)
    return sum(len(encode(leaf.passage.words)) for leaf in leaves) / sum(len(leaf.passage.words) for leaf in leaves)


def answer_times(settings: Settings, shelves: Shelves, embedders: compose.Embedders, texts: list[str]) -> list[float]:
    """Milliseconds of whole answers without a key. The first counts what `serve` does before anybody asks: it builds
    the keyword index."""
    asker = compose.asker(settings, shelves, embedders)
    began = time.perf_counter()
    asker.warm(SLUG)
    warm_ms = (time.perf_counter() - began) * 1000
    chance = random.Random(SEED)
    times: list[float] = []
    for _ in range(QUESTIONS + 1):
        words = chance.choice(texts).split()
        begin = chance.randrange(max(1, len(words) - 8))
        question = f"What do you think about {' '.join(words[begin : begin + 6])}?"
        began = time.perf_counter()
        asker.ask(Question(SLUG, question))
        times.append((time.perf_counter() - began) * 1000)
    return [warm_ms + times[0], *times[1:]]


def resident_mb() -> float:
    """Of this process, now. Linux; elsewhere its peak."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def measure(home: Path, size: int) -> Figures:
    settings = prepare(home)
    models = ensemble(settings, compose.Embedders(settings))
    for model in models:
        model.query("builds the model")
    words = vocabulary(settings.store / "models")
    embedded_per_s = nothing_to_do_s = None
    cpu_began = time.process_time()
    if size <= REAL:
        index_s, embedded_per_s, nothing_to_do_s = index_for_real(settings, size, words)
    else:
        index_s = index_drawn(settings, size, words, models)
    index_cpu_s = time.process_time() - cpu_began
    disk = sum(path.stat().st_size for path in (settings.store / SLUG).rglob("*") if path.is_file())
    child = subprocess.run(
        [sys.executable, "-m", "tests.bench_answers", "--serve", str(home)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    served = json.loads(child.stdout)
    return Figures(
        index_s=index_s,
        index_cpu_s=index_cpu_s,
        passages_per_s=served["passages"] / index_s,
        embedded_per_s=embedded_per_s,
        nothing_to_do_s=nothing_to_do_s,
        disk_mb=disk / 1e6,
        **served,
    )


def show(figures: list[Figures]) -> None:
    names = {
        "passages": "passages",
        "index_s": "index, s",
        "index_cpu_s": "index with its input, cpu s",
        "passages_per_s": "passages indexed a second",
        "embedded_per_s": "texts embedded a second",
        "nothing_to_do_s": "index with nothing to do, s",
        "disk_mb": "disk, MB",
        "word_bytes": "bytes for a word's times",
        "open_s": "open the store, s",
        "first_answer_ms": "first answer, ms",
        "answer_p50_ms": "answer p50, ms",
        "answer_p95_ms": "answer p95, ms",
        "store_mb": "memory for the store, MB",
        "resident_mb": "resident, MB",
    }
    rows = [asdict(one) for one in figures]
    for key, name in names.items():
        cells = ("–" if row[key] is None else f"{row[key]:,.{0 if key == 'passages' else 1}f}" for row in rows)
        sys.stdout.write(f"{name:<30}{''.join(f'{cell:>12}' for cell in cells)}\n")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench_answers", description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,50000", help="passages, separated by commas")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return
    figures: list[Figures] = []
    for size in map(int, options.sizes.split(",")):
        sys.stderr.write(f"{size:,} passages …\n")
        with tempfile.TemporaryDirectory(prefix="qandai-bench-") as home:
            figures.append(measure(Path(home), size))
    sys.stdout.write(f"seed {SEED}\n")
    show(figures)
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in figures], indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
