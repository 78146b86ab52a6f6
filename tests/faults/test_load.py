"""Thirty-two visitors ask a live server while `index` puts new generations under it.

Every answer is held against the transcripts that existed: its words, their second, and that all of it comes from one
generation. QANDAI_LOAD_SWAPS sets how many generations there are (2), QANDAI_LOAD_CLIENTS how many visitors (32).
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from qandai import compose
from qandai.model import Word, join
from qandai.settings import Settings
from tests.archive import TOPICS, topical
from tests.needs import ROOT

SWAPS = int(os.environ.get("QANDAI_LOAD_SWAPS", "2"))
CLIENTS = int(os.environ.get("QANDAI_LOAD_CLIENTS", "32"))
LEAD = 0.3
VIDEOS = ("first", "second", "third")

pytestmark = [pytest.mark.faults, pytest.mark.model, pytest.mark.timeout(1800)]

Json = dict[str, Any]


class Archive:
    """Two persons: the guide, who says what she always said, and Ann, who says other things in every version."""

    def __init__(self, home: Path) -> None:
        (home / "people").mkdir()
        (home / "transcripts").mkdir()
        shutil.copy(ROOT / "people" / "guide.yaml", home / "people")
        shutil.copy(ROOT / "people" / "guide.svg", home / "people")
        shutil.copytree(ROOT / "transcripts" / "guide", home / "transcripts" / "guide")
        (home / "people" / "ann.yaml").write_text("name: Ann\nembedding: minilm\n")
        self.home = home
        self.transcripts = compose.transcripts(Settings.read({}, home=home))
        self.words: dict[tuple[str, str], list[tuple[Word, ...]]] = {
            ("guide", video): [self.transcripts.read("guide", video).row.words]
            for video in self.transcripts.ids("guide")
        }
        self.shown: list[float] = []  # when the index of each of Ann's versions was done
        self.write()

    def write(self) -> None:
        """Ann's next version. Its sentences count on from a hundred of their own."""
        version = len(self.words.get(("ann", VIDEOS[0]), ()))
        for place, video in enumerate(VIDEOS):
            transcript = topical(video, start=100 * version + 20 * place, count=15)
            self.transcripts.write("ann", transcript)
            self.words.setdefault(("ann", video), []).append(transcript.row.words)

    def index(self, *words: str) -> None:
        command = [sys.executable, "-m", "qandai", "--home", str(self.home), "index", *words]
        deadline = time.monotonic() + 120
        while (done := subprocess.run(command, capture_output=True, text=True)).returncode:
            # The server's own run at its start may hold the lock.
            assert "is being written by" in done.stderr, done.stderr
            assert time.monotonic() < deadline, done.stderr

    def questions(self) -> list[tuple[str, str]]:
        """(person, question), all different."""
        guide = [sentence for (slug, _), (words,) in self.words.items() for sentence in _sentences(words)]
        asked = [("guide", f"What do you say of this: {sentence[:150]}") for sentence in guide[::3]]
        asked += [("ann", f"What is there to know about {topic} and {other}?") for topic in TOPICS for other in TOPICS]
        return asked

    def versions(self, slug: str, video: str, text: str, start: float | None = None) -> set[int]:
        """In which versions of a recording `text` is said, word for word and, if it is known, from that second."""
        wanted = text.split()
        found = set()
        for version, words in enumerate(self.words[slug, video]):
            row = [word.text for word in words]
            for at in range(len(row) - len(wanted) + 1):
                if row[at : at + len(wanted)] != wanted:
                    continue
                if start is None or abs(max(0.0, words[at].start - LEAD) - start) < 0.011:
                    found.add(version)
        return found


def _sentences(words: Sequence[Word]) -> list[str]:
    return [sentence.strip() for sentence in join(words).split(".") if len(sentence) > 40]


@dataclass(slots=True)
class Tally:
    """What the visitors met."""

    faults: list[str] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    ask_ms: list[float] = field(default_factory=list)
    health_ms: list[float] = field(default_factory=list)
    answers: dict[tuple[str, str, int], Json] = field(default_factory=dict)
    lag: float = 0.0
    """The longest that an old version was answered from after the new one was indexed, seconds."""


class Visitor:
    def __init__(self, address: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)

    def call(self, path: str, given: Json | None = None) -> tuple[int, http.client.HTTPMessage, bytes, float]:
        began = time.monotonic()
        body = None if given is None else json.dumps(given)
        method = "GET" if given is None else "POST"
        self._connection.request(method, path, body, {"Content-Type": "application/json"})
        response = self._connection.getresponse()
        read = response.read()
        return response.status, response.headers, read, (time.monotonic() - began) * 1000

    def close(self) -> None:
        self._connection.close()


class Crowd:
    """Asks until it is told to stop, and judges what it hears."""

    def __init__(self, archive: Archive, address: str) -> None:
        self._archive = archive
        self._address = address
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self.tally = Tally()
        questions = archive.questions()
        self._threads = [
            threading.Thread(target=self._guarded, args=(self._ask, questions[number::CLIENTS]), daemon=True)
            for number in range(CLIENTS)
        ]
        self._threads.append(threading.Thread(target=self._guarded, args=(self._probe, ()), daemon=True))

    def __enter__(self) -> Crowd:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(150)
        assert not any(thread.is_alive() for thread in self._threads), "an answer never came"

    def answered(self) -> int:
        return self.tally.statuses[200]

    def _guarded(self, act: Any, questions: Sequence[tuple[str, str]]) -> None:
        visitor = Visitor(self._address)
        try:
            act(visitor, questions)
        except Exception as error:  # noqa: BLE001 # whatever it is, the test names it
            with self._lock:
                self.tally.faults.append(f"{type(error).__name__}: {error}")
        finally:
            visitor.close()

    def _ask(self, visitor: Visitor, questions: Sequence[tuple[str, str]]) -> None:
        for turn in count():
            if self._stop.is_set():
                return
            slug, question = questions[turn % len(questions)]
            sent = time.monotonic()
            given = {"person": slug, "question": question, "mode": ("auto", "sources")[turn % 5 == 4]}
            status, headers, body, took = visitor.call("/api/ask", given)
            with self._lock:
                self.tally.statuses[status] += 1
                self.tally.ask_ms.append(took)
            if status == 200:
                self._judge(json.loads(body), sent)
            elif status in (429, 503) and headers["Retry-After"]:
                self._stop.wait(float(headers["Retry-After"]))
            else:
                raise AssertionError(f"{status} {body[:300]!r}")

    def _probe(self, visitor: Visitor, _: Sequence[tuple[str, str]]) -> None:
        while not self._stop.wait(0.1):
            status, _headers, _body, took = visitor.call("/health")
            assert status == 200
            with self._lock:
                self.tally.health_ms.append(took)

    def _judge(self, reply: Json, sent: float) -> None:
        slug, question = reply["person"], reply["question"]
        clips = [*([reply["clip"]] if reply["clip"] else []), *reply["alternatives"]]
        agree = set(range(len(self._archive.words[slug, clips[0]["video_id"]]))) if clips else set()
        parts = [(clip["video_id"], clip["quote"], clip["start"]) for clip in clips]
        parts += [(source["video_id"], source["text"], None) for source in reply["sources"]]
        for number, (video, text, start) in enumerate(parts):
            said = self._archive.versions(slug, video, text, start)
            assert said, f"nobody said this in {video} at {start}: {text}"
            agree = said if number == 0 else agree & said
            assert agree, f"parts of two generations in one answer: {reply}"
        assert reply["answered"] == bool(parts and (reply["clip"] or reply["mode"] == "sources"))
        if parts:
            self._compare(slug, question, reply, max(agree), sent)

    def _compare(self, slug: str, question: str, reply: Json, version: int, sent: float) -> None:
        """The same question to the same generation has the same answer, however many ask."""
        told = {name: reply[name] for name in ("mode", "answered", "answer", "clip", "alternatives", "sources")}
        with self._lock:
            first = self.tally.answers.setdefault((slug, f"{reply['mode']} {question}", version), told)
            assert first == told, f"two answers to {question!r}: {first} and {told}"
            newer = self._archive.shown[version + 1 :] if slug == "ann" else []
            if newer:
                self.tally.lag = max(self.tally.lag, sent - newer[0])


@contextmanager
def serving(home: Path, log: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    with log.open("wb") as lines:
        process = subprocess.Popen(
            [sys.executable, "-m", "qandai", "--home", str(home), "serve", "--port", "0"],
            cwd=ROOT,
            env={name: value for name, value in os.environ.items() if not name.startswith("QANDAI_")}
            | {"QANDAI_LIMIT_VISITOR": "0", "QANDAI_LIMIT_SITE": "0"},
            stdout=lines,
            stderr=subprocess.STDOUT,
        )
    try:
        yield process, _address(log)
    finally:
        process.terminate()
        process.wait(30)


def _address(log: Path) -> str:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        _, found, rest = log.read_text().partition("http://")
        if found and rest.partition(" ")[1]:
            return found + rest.split()[0]
        time.sleep(0.1)
    raise AssertionError(log.read_text())


def _until_ready(address: str) -> None:
    visitor = Visitor(address)
    deadline = time.monotonic() + 240
    while visitor.call("/ready")[0] != 200:
        assert time.monotonic() < deadline, "never ready"
        time.sleep(0.2)
    visitor.close()


def _memory(process: subprocess.Popen[bytes]) -> int:
    """Resident megabytes; 0 where the system does not tell."""
    status = Path(f"/proc/{process.pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS")), 0)


def _percent(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def _figures(tally: Tally, seconds: float) -> str:
    rows = [
        f"{sum(tally.statuses.values())} questions in {seconds:.0f} s by {CLIENTS} visitors: {dict(tally.statuses)}"
    ]
    for name, values in (("answer", tally.ask_ms), ("health", tally.health_ms)):
        p50, p95, worst = (_percent(values, share) for share in (0.5, 0.95, 1.0))
        rows.append(f"{name} p50 {p50:.0f} ms, p95 {p95:.0f} ms, longest {worst:.0f} ms")
    rows.append(f"an old generation was read for at most {tally.lag:.1f} s after the new one was there")
    return "\n".join(rows)


def test_no_answer_is_wrong_while_generations_change(
    tmp_path: Path, lend: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    lend(home)
    archive = Archive(home)
    archive.index()
    archive.shown.append(time.monotonic())
    log = tmp_path / "serve.log"
    with serving(home, log) as (process, address):
        _until_ready(address)
        began, before = time.monotonic(), _memory(process)
        with Crowd(archive, address) as crowd:
            for swap in range(SWAPS):
                archive.write()
                archive.index("ann")
                archive.shown.append(time.monotonic())
                if swap % 2:
                    archive.index("guide", "--rebuild")
                seen = crowd.answered()
                deadline = time.monotonic() + 60
                while crowd.answered() < seen + 2 * CLIENTS and time.monotonic() < deadline:
                    time.sleep(0.2)
        seconds, after = time.monotonic() - began, _memory(process)
        assert process.poll() is None
    with capsys.disabled():
        print(f"\n{_figures(crowd.tally, seconds)}\nmemory {before} MB, after {SWAPS} swaps {after} MB")  # noqa: T201
    assert crowd.tally.faults == [], log.read_text()[-3000:]
    assert crowd.answered() > CLIENTS * SWAPS
    assert {version for slug, _, version in crowd.tally.answers if slug == "ann"} >= set(range(1, SWAPS + 1))
    assert "Traceback" not in log.read_text()
