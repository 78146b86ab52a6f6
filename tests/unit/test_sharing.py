from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from time import monotonic

import pytest

from qandai.chat import Pieces, Prompt
from qandai.errors import ProviderError, TimedOut
from qandai.sharing import SharedLlm
from tests.fakes import ScriptedLlm, ScriptedPieces

PROMPT = Prompt("rules", "question", longest=100)
OTHER = Prompt("rules", "another question", longest=100)


class Held(ScriptedLlm):
    """Answers when it is let."""

    def __init__(self, reply: str | ProviderError = "yes") -> None:
        self.let = Event()
        super().__init__(reply, before=lambda: self.let.wait(10))


def together(count: int, ask: Callable[[], object]) -> list[object]:
    ready = Barrier(count + 1, timeout=10)

    def one(_: int) -> object:
        ready.wait()
        try:
            return ask()
        except ProviderError as exc:
            return str(exc)

    with ThreadPoolExecutor(count) as threads:
        coming = [threads.submit(one, number) for number in range(count)]
        ready.wait()
        return [each.result(10) for each in coming]


def test_who_asks_the_same_at_the_same_time_shares_a_call() -> None:
    held = Held()
    shared = SharedLlm(held)
    asked: list[object] = []
    with ThreadPoolExecutor(1) as watcher:
        watcher.submit(lambda: (Event().wait(0.2), held.let.set()))
        asked = together(8, lambda: shared.complete(PROMPT, seconds=5).text)
    assert (asked, len(held.asked)) == (["yes"] * 8, 1)


def test_a_failure_is_shared_too_and_kept_by_nobody() -> None:
    held = Held(ProviderError("it is down"))
    shared = SharedLlm(held)
    with ThreadPoolExecutor(1) as watcher:
        watcher.submit(lambda: (Event().wait(0.2), held.let.set()))
        assert together(4, lambda: shared.complete(PROMPT, seconds=5)) == ["it is down"] * 4
    with pytest.raises(ProviderError):
        shared.complete(PROMPT, seconds=5)
    assert len(held.asked) == 2


def test_whoever_has_less_time_waits_less() -> None:
    held = Held()
    shared = SharedLlm(held)
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(shared.complete, PROMPT, seconds=10)
        while not held.asked:
            Event().wait(0.005)
        began = monotonic()
        with pytest.raises(TimedOut):
            shared.complete(PROMPT, seconds=0.1)
        assert monotonic() - began < 1
        held.let.set()
        assert first.result(10).text == "yes"


def test_other_questions_and_later_ones_have_calls_of_their_own() -> None:
    llm = ScriptedLlm("yes")
    shared = SharedLlm(llm)
    for prompt in (PROMPT, OTHER, PROMPT):
        shared.complete(prompt, seconds=5)
    assert len(llm.asked) == 3


def test_a_stream_is_read_whole_by_all_who_came() -> None:
    llm = ScriptedLlm("one two three four")
    shared = SharedLlm(llm)
    first = shared.stream(PROMPT, seconds=5)
    begun = [next(first), next(first)]
    late = shared.stream(PROMPT, seconds=5)
    assert "".join(late) == "one two three four"
    assert "".join([*begun, *first]) == "one two three four"
    assert len(llm.asked) == 1


def test_a_stream_ends_with_its_last_reader() -> None:
    llm = ScriptedLlm("one two three four")
    shared = SharedLlm(llm)
    readers = [shared.stream(PROMPT, seconds=5) for _ in range(2)]
    next(readers[0])
    readers[0].close()
    readers[0].close()
    assert not llm.streams[0].closed
    assert list(readers[0]) == []
    assert "".join(readers[1]) == "one two three four"
    readers[1].close()
    assert llm.streams[0].closed
    assert "".join(shared.stream(PROMPT, seconds=5)) == "one two three four"
    assert len(llm.asked) == 2


def test_readers_on_threads_of_their_own_find_the_same() -> None:
    shared = SharedLlm(ScriptedLlm("word " * 200, size=3))
    streams: list[Pieces] = [shared.stream(PROMPT, seconds=5) for _ in range(6)]
    with ThreadPoolExecutor(6) as threads:
        assert set(threads.map("".join, streams)) == {"word " * 200}


class Breaking(ScriptedLlm):
    def stream(self, prompt: Prompt, *, seconds: float, first: float | None = None) -> ScriptedPieces:
        def said() -> Iterator[str | ProviderError]:
            yield "one "
            yield ProviderError("cut")

        self.asked.append(prompt)
        return ScriptedPieces(iter(said()))


def test_a_stream_that_breaks_off_breaks_off_for_all_and_the_next_begins_anew() -> None:
    llm = Breaking("")
    shared = SharedLlm(llm)
    readers = [shared.stream(PROMPT, seconds=5) for _ in range(2)]
    for reader in readers:
        assert next(reader) == "one "
        with pytest.raises(ProviderError, match="cut"):
            next(reader)
    assert next(shared.stream(PROMPT, seconds=5)) == "one "
    assert len(llm.asked) == 2


class Silent(ScriptedLlm):
    """Its stream says nothing until it is let."""

    def __init__(self) -> None:
        super().__init__("")
        self.let = Event()

    def stream(self, prompt: Prompt, *, seconds: float, first: float | None = None) -> ScriptedPieces:
        def said() -> Iterator[str]:
            self.let.wait(10)
            yield "at last"

        self.asked.append(prompt)
        return ScriptedPieces(iter(said()))


def test_who_waits_for_somebody_else_s_piece_waits_no_longer_than_allowed() -> None:
    llm = Silent()
    shared = SharedLlm(llm)
    with ThreadPoolExecutor(1) as threads:
        drawing = threads.submit(next, shared.stream(PROMPT, seconds=0.15))
        while not drawing.running():
            Event().wait(0.005)
        Event().wait(0.05)
        with pytest.raises(TimedOut):
            next(shared.stream(PROMPT, seconds=0.1))
        llm.let.set()
        assert drawing.result(10) == "at last"
    assert len(llm.asked) == 1


def test_a_stream_that_may_take_longer_than_somebody_has_is_not_shared_with_them() -> None:
    """Whoever draws the next piece cannot leave before it comes."""
    llm = ScriptedLlm("one two three four")
    shared = SharedLlm(llm)
    first = shared.stream(PROMPT, seconds=8)
    second = shared.stream(PROMPT, seconds=6)
    assert ("".join(first), "".join(second)) == ("one two three four",) * 2
    assert llm.seconds == [8, 6]


def test_who_leaves_while_somebody_else_draws_waits_no_more() -> None:
    llm = Silent()
    shared = SharedLlm(llm)
    readers = [shared.stream(PROMPT, seconds=10) for _ in range(2)]
    with ThreadPoolExecutor(2) as threads:
        drawing = threads.submit(list, readers[0])
        while not drawing.running():
            Event().wait(0.005)
        Event().wait(0.05)
        waiting = threads.submit(list, readers[1])
        Event().wait(0.05)
        readers[1].close()
        assert waiting.result(2) == []
        llm.let.set()
        assert drawing.result(10) == ["at last"]


def test_leaving_twice_at_once_ends_nobody_else_s_call() -> None:
    llm = ScriptedLlm("one two three four")
    shared = SharedLlm(llm)
    first, second = (shared.stream(PROMPT, seconds=5) for _ in range(2))
    together(8, first.close)
    assert not llm.streams[0].closed
    assert "".join(second) == "one two three four"
