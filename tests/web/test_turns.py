from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from qandai.errors import Busy
from qandai.web.turns import Turns


def test_no_more_than_wanted_are_worked_on_and_everybody_gets_a_turn() -> None:
    turns = Turns(threads=40, at_once=3, patience=30)
    inside, most = 0, 0
    lock = threading.Lock()

    def ask(_: int) -> None:
        nonlocal inside, most
        with turns.taken():
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.005)
            with lock:
                inside -= 1

    with ThreadPoolExecutor(30) as visitors:
        list(visitors.map(ask, range(90)))
    assert most == 3


def test_where_all_places_are_taken_the_next_is_refused_at_once_and_a_quarter_stays_free() -> None:
    turns = Turns(threads=8, at_once=8, patience=30)
    with ExitStack() as stack:
        for _ in range(6):
            stack.enter_context(turns.taken())
        began = time.monotonic()
        with pytest.raises(Busy), turns.taken():
            pass
        assert time.monotonic() - began < 1
    with turns.taken():
        pass


def test_who_waits_too_long_is_refused_and_leaves_the_place_to_others() -> None:
    turns = Turns(threads=4, at_once=1, patience=0.02)
    with turns.taken():
        for _ in range(5):
            with pytest.raises(Busy), turns.taken():
                pass
    with turns.taken():
        pass


def test_a_question_that_fails_gives_its_turn_back() -> None:
    turns = Turns(threads=1, at_once=1, patience=0.02)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), turns.taken():
            raise ZeroDivisionError
    with turns.taken():
        pass
