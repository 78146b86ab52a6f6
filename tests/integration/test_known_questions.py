"""Questions of an evaluation that are embedded once."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from eval.embedded import CHECKPOINT, known
from qandai.errors import ProviderError
from qandai.ports import Reading
from tests.fakes import BagOfWordsEmbedder

QUESTIONS = [f"who built boat {number}" for number in range(2 * CHECKPOINT + 10)]


class Counting(BagOfWordsEmbedder):
    """Fails after `most` questions. Remembers how many were asked, and how many at once."""

    def __init__(self, *, most: int = 10_000, seconds: float = 0.0) -> None:
        super().__init__(dimension=8)
        self.asked = 0
        self.at_once = 0
        self._most = most
        self._seconds = seconds
        self._now = 0
        self._lock = threading.Lock()

    def read_query(self, text: str) -> Reading:
        with self._lock:
            self.asked += 1
            self._now += 1
            self.at_once = max(self.at_once, self._now)
            fails = self.asked > self._most
        time.sleep(self._seconds)
        with self._lock:
            self._now -= 1
        if fails:
            raise ProviderError("The server went away.")
        return super().read_query(text)


def test_questions_are_read_once_with_their_words(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    known((first,), QUESTIONS, tmp_path)
    (found,) = known((second,), QUESTIONS, tmp_path)
    assert (first.asked, second.asked) == (len(QUESTIONS), 0)
    for question in QUESTIONS:
        expected = first.read_query(question)
        assert np.array_equal(found.read_query(question).vector, expected.vector)
        assert np.array_equal(found.read_query(question).words, expected.words)
    assert second.asked == 0


def test_what_was_read_before_a_failure_is_kept(tmp_path: Path) -> None:
    with pytest.raises(ProviderError):
        known((Counting(most=2 * CHECKPOINT + 5),), QUESTIONS, tmp_path)
    embedder = Counting()
    known((embedder,), QUESTIONS, tmp_path)
    assert embedder.asked == 10


def test_one_more_question_does_not_ask_them_all_again(tmp_path: Path) -> None:
    known((Counting(),), QUESTIONS, tmp_path)
    embedder = Counting()
    known((embedder,), [*QUESTIONS, "one more"], tmp_path)
    assert embedder.asked == 11


def test_no_more_are_asked_at_once_than_there_are_cores(tmp_path: Path) -> None:
    embedder = Counting(seconds=0.002)
    known((embedder,), QUESTIONS[:60], tmp_path)
    assert embedder.at_once <= (os.cpu_count() or 1)


def test_a_damaged_file_is_read_anew(tmp_path: Path) -> None:
    known((Counting(),), QUESTIONS[:3], tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-40])
    embedder = Counting()
    known((embedder,), QUESTIONS[:3], tmp_path)
    assert embedder.asked == 3


def test_what_is_known_tells_words_where_its_model_does(tmp_path: Path) -> None:
    plain, silent = Counting(), Counting()
    silent.tells_words = False
    assert [embedder.tells_words for embedder in known((plain, silent), [], tmp_path)] == [True, False]
