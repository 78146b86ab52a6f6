"""`python -m tests.bench_embedding [--texts 400]`: texts a second of each bundled embedder, by one thread and by all
cores, and how long a question takes."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from qandai import compose
from qandai.passages import cut
from qandai.ports import Embedder
from qandai.settings import Settings
from tests.bench_archive import SHORT, talks, vocabulary

ROUNDS = 3
"""Turn by turn, so that what else runs on the machine meets all alike; the best is told."""

QUERIES = 30


def texts(settings: Settings, count: int) -> list[str]:
    """Passages and their sentences, as an index embeds them."""
    words = vocabulary(settings.store / "models")
    passages = (passage for talk in talks(words, SHORT) for passage in cut(talk.row, chars=settings.passage_chars))
    mixed = (text for passage in passages for text in (passage.text, *(span.text for span in passage.sentences)))
    return list(islice(mixed, count))


def rate(embedder: Embedder, some: list[str]) -> float:
    began = time.perf_counter()
    embedder.passages(some)
    return len(some) / (time.perf_counter() - began)


def question_ms(embedder: Embedder) -> float:
    times = []
    for number in range(QUERIES):
        began = time.perf_counter()
        embedder.query(f"What did she say about the harbour in the year {1900 + number}?")
        times.append(time.perf_counter() - began)
    return float(np.median(times)) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench_embedding", description=__doc__)
    parser.add_argument("--texts", type=int, default=400)
    count = parser.parse_args().texts
    threads = sorted({1, os.cpu_count() or 1})
    with tempfile.TemporaryDirectory(prefix="qandai-bench-") as home:
        settings = Settings.read({}, home=Path(home))
        by_threads = {number: compose.Embedders(replace(settings, embed_threads=number)) for number in threads}
        by_threads[1].named("minilm").query("its vocabulary makes the texts")
        some = texts(settings, count)
        sys.stdout.write(f"{len(some)} texts of {np.mean([len(text) for text in some]):.0f} characters\n")
        for name in ("minilm", "e5"):
            embedders = {number: of.named(name) for number, of in by_threads.items()}
            asked = question_ms(embedders[1])
            best = dict.fromkeys(threads, 0.0)
            for _ in range(ROUNDS):
                best = {number: max(best[number], rate(embedders[number], some)) for number in threads}
            rates = ", ".join(f"{best[number]:.0f} by {number}" for number in threads)
            sys.stdout.write(f"{name:<8}texts a second by threads: {rates}; a question {asked:.1f} ms\n")


if __name__ == "__main__":
    main()
