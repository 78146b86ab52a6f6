"""A folder whose recordings are heard side by side is killed at random moments. Each kill costs at most what was being
heard."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from qandai.adapters.heard_files import HeardFiles
from qandai.adapters.ledgers import LedgerFiles, WaitFile
from qandai.adapters.transcripts import TranscriptFiles
from qandai.hearing import AudioFormat, Heard, HeardSegment, HeardWord, Sound, TranscriberLimits
from qandai.ingest.pipeline import Ingester
from qandai.ingest.podcast import Folder
from qandai.ingest.report import Orders
from qandai.ingest.transcribe.recordings import transcribe_with
from qandai.ingest.transcribe.story import Scribe
from qandai.model import Person, Source
from qandai.origins import Recorded
from tests.needs import ROOT

RECORDINGS, AT_ONCE = 24, 3
ANN = Person("ann", "Ann", sources=(Source("audio", ("audio",)),))


class Files:
    def __init__(self, home: Path) -> None:
        self._home = home

    def find(self, folder: str) -> Iterator[Recorded]:
        for n in range(RECORDINGS):
            yield Recorded(f"talk{n:02}", f"Talk {n}", "asked", 10.0)

    def open(self, path: str) -> Path:
        return self._home / path


class Ears:
    """Each request is a line of the file `asked`."""

    model = "ears"
    limits = TranscriberLimits(parallel=AT_ONCE)

    def transcribe(self, piece: Path, *, language: str | None, prompt: str) -> Heard:
        with (piece.parent / "asked").open("a") as log:
            log.write(f"{piece.name}\n")
        time.sleep(0.1)
        words = tuple(HeardWord(f"{piece.name}x{n}", n / 2, n / 2 + 0.4) for n in range(19))
        return Heard((HeardSegment(0.0, 10.0, " ".join(word.text for word in words)),), words)


class Titled:
    """Audio whose recordings are told apart by the id that stands for them."""

    def digest(self, recording: Path) -> str:
        return recording.name.encode().hex().ljust(64, "0")

    def listen(self, recording: Path) -> Sound:
        return Sound(10.0)

    def quietest(self, recording: Path, start: float, end: float) -> float:
        return (start + end) / 2

    @contextmanager
    def cut(self, recording: Path, start: float, end: float, form: AudioFormat) -> Iterator[Path]:
        yield recording


def ingest(home: Path) -> None:
    scribe = Scribe(Ears(), Titled(), HeardFiles(home / "heard"))
    listen = transcribe_with(scribe, now=lambda: datetime.now(UTC))
    folder = Folder(Files(home), lambda _, video, person: listen(home / video.id, video, person), at_once=AT_ONCE)
    transcripts, ledgers = kept(home)
    ingester = Ingester({"audio": folder}, transcripts, ledgers, WaitFile(home / "waits.json"))
    ingester.ingest(ANN, Orders(), lambda *step: None)


def kept(home: Path) -> tuple[TranscriptFiles, LedgerFiles]:
    return TranscriptFiles(home / "transcripts"), LedgerFiles(home / "transcripts", home / "ingest")


@pytest.mark.faults
def test_kills_lose_at_most_what_was_being_heard(tmp_path: Path) -> None:
    chance = random.Random(5)
    log = tmp_path / "asked"
    log.touch()
    transcripts, ledgers = kept(tmp_path)
    code = (
        f"from pathlib import Path; from tests.faults.test_folder_kills import ingest; ingest(Path({str(tmp_path)!r}))"
    )
    kills = 0
    for _ in range(RECORDINGS):
        enough = len(log.read_text().split()) + chance.randint(2, 9)
        environ = {**os.environ, "PYTHONPATH": str(ROOT)}
        with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environ) as running:
            while running.poll() is None and len(log.read_text().split()) < enough:
                time.sleep(chance.uniform(0.001, 0.05))
            if running.poll() is None:
                running.kill()
                kills += 1
            else:
                assert running.returncode == 0
                break
        for video_id in transcripts.ids("ann"):
            assert transcripts.read("ann", video_id).words, "a transcript is there whole or not at all"
        done = {entry.id for entry in ledgers.read("ann").values() if entry.state == "transcribed"}
        assert done <= set(transcripts.ids("ann"))
    assert kills > 2
    asked = log.read_text().split()
    assert len(set(asked)) == RECORDINGS
    assert len(asked) <= RECORDINGS + kills * AT_ONCE
    assert {entry.state for entry in ledgers.read("ann").values()} == {"transcribed"}
