"""`python -m tests.bench_answers [--sizes 1000,10000] [--json OUT]`: what indexing and answering cost on this machine.

The first size is indexed for real, with all-MiniLM. Above it the vectors are drawn at random from a seed: they cost the
store and the search what real ones cost. Each measure of a running site is taken in a process of its own.
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
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from qandai import compose
from qandai.adapters.chroma_store import ChromaStore
from qandai.adapters.minilm import DIMENSION
from qandai.adapters.records import read_place
from qandai.adapters.timings import encode
from qandai.model import Question, Transcript, Video, Word
from qandai.passages import cut
from qandai.ports import Leaf, Recipe, Vectors
from qandai.settings import Settings

SEED = 11
REAL = 1000
"""Passages up to which the real embedder is used."""

QUESTIONS = 60
_SENTENCES = 90  # a recording: about ten minutes
_CLUSTERS = 200


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


def vocabulary(models: Path) -> list[str]:
    """Whole words from the model's own tokenizer: real ones, so that a text has as many tokens as speech has."""
    (path,) = models.glob("minilm-????????/tokenizer.json")
    known = json.loads(path.read_text(encoding="utf-8"))["model"]["vocab"]
    return [word for word in known if word.isascii() and word.isalpha() and len(word) > 2][:8000]


def talks(words: list[str], chance: random.Random) -> Iterator[Transcript]:
    """Endless recordings whose words are as uneven as in speech."""
    weights = [1 / (rank + 2) for rank in range(len(words))]
    number = 0
    while True:
        spoken: list[Word] = []
        at = 0.0
        for _ in range(_SENTENCES):
            said = chance.choices(words, weights, k=chance.randint(5, 24))
            for place, text in enumerate(said):
                length = chance.randint(80, 600) / 1000
                shown = text.capitalize() if place == 0 else f"{text}." if place == len(said) - 1 else text
                spoken.append(Word(shown, round(at, 3), round(at + length, 3)))
                at += length + chance.choice([0, 0, 0, 0.04, 0.2])
            at += chance.choice([0.2, 0.5, 1.1])
        video = Video(
            f"talk{number:05d}",
            f"Talk {number}",
            "audio",
            f"audio/bench/talk{number:05d}.m4a",
            f"20{10 + number % 15}-05-17",
            round(at, 2),
            language="en",
        )
        yield Transcript(video, tuple(spoken))
        number += 1


def drawn(count: int, chance: np.random.Generator, centres: Vectors) -> Vectors:
    noise = chance.normal(size=(count, DIMENSION)).astype(np.float32)
    vectors = centres[chance.integers(len(centres), size=count)] + 0.7 * noise
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def prepare(home: Path) -> Settings:
    (home / "people").mkdir(exist_ok=True)
    (home / "people" / "bench.yaml").write_text("name: Bench\nsuggested_questions: []\n", encoding="utf-8")
    return Settings.read({}, home=home)


def index_for_real(settings: Settings, size: int, words: list[str]) -> tuple[float, float, float]:
    """(seconds, texts embedded a second, seconds of a run with nothing to do)."""
    transcripts, total, texts = compose.transcripts(settings), 0, 0
    for talk in talks(words, random.Random(SEED)):
        passages = cut(talk.row, chars=settings.passage_chars)
        transcripts.write("bench", talk)
        total += len(passages)
        texts += len({passage.text for passage in passages} | {s.text for p in passages for s in p.sentences})
        if total >= size:
            break
    began = time.perf_counter()
    compose.indexer(settings).index("bench")
    seconds = time.perf_counter() - began
    began = time.perf_counter()
    compose.indexer(settings).index("bench")
    return seconds, texts / seconds, time.perf_counter() - began


def index_drawn(settings: Settings, size: int, words: list[str]) -> float:
    """Seconds to write `size` passages with drawn vectors."""
    chance = np.random.default_rng(SEED)
    centres = chance.normal(size=(_CLUSTERS, DIMENSION)).astype(np.float32)
    model = compose.Embedders(settings).named("minilm").model
    recipe = Recipe(model, settings.passage_chars, settings.passage_overlap)
    spent = 0.0
    began = time.perf_counter()
    with ChromaStore(settings.store).writing("bench", recipe, rebuild=True) as writer:
        spent += time.perf_counter() - began
        for talk in talks(words, random.Random(SEED)):
            passages = cut(talk.row, chars=settings.passage_chars)[: size - writer.passages]
            leaves = [Leaf(p.span, p.sentences, drawn(len(p.sentences), chance, centres)) for p in passages]
            vectors = drawn(len(passages), chance, centres)
            began = time.perf_counter()
            writer.put(leaves, vectors, fingerprint="drawn")
            spent += time.perf_counter() - began
            if writer.passages >= size:
                break
        began = time.perf_counter()
        writer.commit()
    return spent + time.perf_counter() - began


def serve(home: Path) -> None:
    """In a process of its own: opens the store, answers questions, prints what it took."""
    settings = Settings.read({}, home=home)
    embedders = compose.Embedders(settings)
    embedder = embedders.named("minilm")
    embedder.query("warm")
    before = resident_mb()
    shelves = compose.shelves(settings, embedders)
    began = time.perf_counter()
    with shelves.borrow("bench") as shelf:
        open_s = time.perf_counter() - began
        store_mb = resident_mb() - before
        texts = list(shelf.texts)
        leaves = shelf.read(range(min(300, len(texts))))
        per_word = sum(len(encode(leaf.passage.words)) for leaf in leaves) / sum(len(x.passage.words) for x in leaves)
        assert all(read_place(leaf.passage.id) for leaf in leaves)
    times = answer_times(settings, shelves, embedders, texts)
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


def answer_times(
    settings: Settings, shelves: compose.Shelves, embedders: compose.Embedders, texts: list[str]
) -> list[float]:
    """Milliseconds of whole answers without a key, the first of which builds the keyword index."""
    asker = compose.asker(settings, shelves, embedders)
    chance = random.Random(SEED)
    times: list[float] = []
    for _ in range(QUESTIONS + 1):
        words = chance.choice(texts).split()
        begin = chance.randrange(max(1, len(words) - 8))
        question = f"What do you think about {' '.join(words[begin : begin + 6])}?"
        began = time.perf_counter()
        asker.ask(Question("bench", question))
        times.append((time.perf_counter() - began) * 1000)
    return times


def resident_mb() -> float:
    """Of this process, now. Linux; elsewhere its peak."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def measure(home: Path, size: int) -> Figures:
    settings = prepare(home)
    compose.Embedders(settings).named("minilm").query("builds the model")
    words = vocabulary(settings.store / "models")
    embedded_per_s = nothing_to_do_s = None
    cpu_began = time.process_time()
    if size <= REAL:
        index_s, embedded_per_s, nothing_to_do_s = index_for_real(settings, size, words)
    else:
        index_s = index_drawn(settings, size, words)
    index_cpu_s = time.process_time() - cpu_began
    disk = sum(path.stat().st_size for path in (settings.store / "bench").rglob("*") if path.is_file())
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
    parser.add_argument("--sizes", default="1000,10000", help="passages, separated by commas")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return
    figures: list[Figures] = []
    for size in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory(prefix="qandai-bench-") as home:
            figures.append(measure(Path(home), size))
    sys.stdout.write(f"seed {SEED}\n")
    show(figures)
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in figures], indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
