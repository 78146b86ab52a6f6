"""`python -m tests.bench_models [--size 10000] [--json OUT]`: what an answer costs beside the model's own time.

The provider is a real server on a real socket, in a process of its own, that takes the same time for every reply.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from qandai import compose
from qandai.answer import Answer
from qandai.model import Question
from qandai.ports import Shelf
from qandai.settings import Settings
from tests.bench_archive import SEED, SLUG, ensemble, index_drawn, prepare, vocabulary
from tests.provider import Provider, Reply, Request, reply

DELAY = 0.3
QUESTIONS = 40
REWRITES = "\n".join(
    f"I would say that the {word} was what mattered most to me then." for word in "boat bread ice oak tax".split()
)


@dataclass(frozen=True, slots=True)
class Figures:
    """Milliseconds. `overhead`: of a whole answer, without what the provider took."""

    way: str
    calls: int
    answer_p50_ms: float
    answer_p95_ms: float
    overhead_p50_ms: float
    overhead_p95_ms: float
    chosen: int


def script(request: Request) -> Reply:
    """Five imagined answers; else the first words of the first excerpt."""
    if request.model == "expand":
        return reply(REWRITES)
    said = request.user.partition("[1]")[2].partition("\n")[2].strip().split()
    return reply(f"1: {' '.join(said[:12])}")


def provide() -> None:
    """In a process of its own: prints where it listens, and ends with its input."""
    with Provider(script, delay=DELAY) as provider:
        sys.stdout.write(f"{provider.base_url}\n")
        sys.stdout.flush()
        sys.stdin.read()


@contextmanager
def provider() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.bench_models", "--provide"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin
        assert child.stdout
        yield child.stdout.readline().strip()
        child.stdin.close()


def measure(settings: Settings, way: str, calls: int) -> Figures:
    embedders = compose.Embedders(settings)
    shelves = compose.shelves(settings, embedders)
    times: list[float] = []
    chosen = 0
    with closing(compose.asker(settings, shelves, embedders)) as asker, shelves.borrow(SLUG) as shelf:
        asker.warm(SLUG)
        for text in questions(shelf):
            began = time.perf_counter()
            answer = asker.ask(Question(SLUG, text, mode="clip"))
            times.append((time.perf_counter() - began) * 1000)
            chosen += isinstance(answer, Answer) and answer.making.model is not None
    p50, p95 = np.percentile(times[1:], [50, 95])  # the first call opens the connection
    waited = calls * DELAY * 1000
    return Figures(way, calls, float(p50), float(p95), float(p50 - waited), float(p95 - waited), chosen)


def questions(shelf: Shelf) -> Iterator[str]:
    chance = random.Random(SEED)
    for _ in range(QUESTIONS + 1):
        words = chance.choice(list(shelf.texts)).split()
        begin = chance.randrange(max(1, len(words) - 8))
        yield f"What do you think about {' '.join(words[begin : begin + 6])}?"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench_models", description=__doc__)
    parser.add_argument("--size", type=int, default=10_000, help="passages")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--provide", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.provide:
        provide()
        return
    with tempfile.TemporaryDirectory(prefix="qandai-bench-") as home, provider() as address:
        settings = prepare(Path(home))
        models = ensemble(settings, compose.Embedders(settings))
        for model in models:
            model.query("builds the model")
        index_drawn(settings, options.size, vocabulary(settings.store / "models"), models)
        served = replace(
            settings,
            floor=-1.0,  # vectors are drawn: nothing comes near anything
            llm="groq",
            groq_api_key="none",
            groq_base_url=address,
            model_select="select",
            select_way="quote",
        )
        figures = [
            measure(replace(served, llm="none"), "no model", 0),
            measure(replace(served, model_expand="none"), "choice", 1),
            measure(replace(served, model_expand="expand"), "expansion and choice", 2),
        ]
    show(figures, options.size)
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in figures], indent=2), encoding="utf-8")


def show(figures: list[Figures], size: int) -> None:
    sys.stdout.write(f"seed {SEED}, {size:,} passages, {DELAY * 1000:.0f} ms a call; overhead is without those\n")
    head = ("", "calls", "answer p50", "p95, ms", "overhead p50", "p95, ms", "chosen")
    rows = [
        (
            one.way,
            str(one.calls),
            f"{one.answer_p50_ms:.1f}",
            f"{one.answer_p95_ms:.1f}",
            f"{one.overhead_p50_ms:.1f}",
            f"{one.overhead_p95_ms:.1f}",
            f"{one.chosen} of {QUESTIONS + 1}",
        )
        for one in figures
    ]
    for row in (head, *rows):
        sys.stdout.write(f"{row[0]:<22}{''.join(f'{cell:>14}' for cell in row[1:])}\n")


if __name__ == "__main__":
    main()
