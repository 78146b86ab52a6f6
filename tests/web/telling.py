"""An answer from the whole archive as an asker tells it, and a real server to tell it through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Thread
from typing import Any

from flask import Flask
from waitress import wasyncore
from waitress.server import create_server

from qandai.answer import Answer, Done, Essay, Event, Found, Heard, Making, Resolved, Statement, Summary, Summed, Wrote
from qandai.model import Clip, Excerpt, Hit, Question, Quote, Span
from tests.fakes import MemoryShelf, MemoryShelves
from tests.web.conftest import passages


def essay(spans: Sequence[Span] | None = None) -> Answer:
    """Two sentences in two paragraphs, from three excerpts."""
    spans = passages() if spans is None else spans
    excerpts = tuple(Excerpt(n, span.row, span, Hit(n, n, 1.0, 0.5)) for n, span in enumerate(spans[:3], start=1))
    clips = tuple(Clip(Quote(span), max(0.0, span.start - 0.3), span.end, exact=True) for span in spans[:3])
    statements = (
        Statement("Bees dance a figure of eight [1] and it looks slow on film [3].", (1, 3)),
        Statement("Honey <b>keeps</b>.", (2,), paragraph=True),
    )
    summary = Summary((2, 3), ("dance", "honey"), clips[1])
    making = Making("synthesis", "How do bees dance?", "a-model")
    question = Question("ann", "How do they dance?", "synthesis")
    whole = Essay(excerpts, clips, statements, summary)
    return Answer(question, clips[0], clips[1:], excerpts, {"total": 3.0}, making, whole)


def events(answer: Answer | None = None) -> tuple[Event, ...]:
    whole = answer or essay()
    assert whole.essay
    early = replace(whole, essay=replace(whole.essay, statements=(), summary=None))
    written = [Wrote(statement) for statement in whole.essay.statements]
    summed = [Summed(whole.essay.summary)] if whole.essay.summary else []
    return Resolved(whole.making), Found(whole.essay.cited), Heard(early), *written, *summed, Done(whole)


def shelves() -> MemoryShelves:
    return MemoryShelves({"ann": MemoryShelf(*passages())})


@contextmanager
def open_to_all(app: Flask, threads: int = 8) -> Iterator[int]:
    """A real server, and its port."""
    channels: dict[int, Any] = {}
    server = create_server(app, host="127.0.0.1", port=0, threads=threads, map=channels)
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server.effective_port
    finally:
        with suppress(OSError):  # another thread may pull meanwhile, and all is closed already
            server.trigger.pull_trigger(lambda: wasyncore.close_all(channels))
        thread.join(5)
        server.task_dispatcher.shutdown()
        assert not thread.is_alive()
