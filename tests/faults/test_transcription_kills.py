"""Killed at any moment while a recording is transcribed: what was heard is kept, and is not paid for again."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from qandai.adapters.heard_files import HeardFiles
from qandai.hearing import Heard, HeardSegment, HeardWord, Sound, TranscriberLimits
from qandai.ingest.transcribe.story import Scribe
from tests.fakes import ListeningTranscriber, PlannedAudio

ROOT = Path(__file__).parents[2]
PIECES, PARALLEL = 30, 2
RECORDING = Sound(PIECES * 600.0, tuple((n * 600.0 - 1, n * 600.0 + 1) for n in range(1, PIECES)))


def hear(start: float, end: float) -> Heard:
    words = tuple(HeardWord(f"w{start:.0f}x{n}", float(n), n + 0.5) for n in range(int(end - start) - 1))
    return Heard((HeardSegment(0.0, end - start, " ".join(word.text for word in words)),), words)


def transcribe(folder: Path, *, pause: float = 0.0) -> list[str]:
    """Each request is a line of the file `asked`."""

    def slow(start: float, end: float) -> Heard:
        with (folder / "asked").open("a") as log:
            log.write(f"{start}\n")
        time.sleep(pause)
        return hear(start, end)

    transcriber = ListeningTranscriber(slow, limits=TranscriberLimits(parallel=PARALLEL))
    scribe = Scribe(transcriber, PlannedAudio(RECORDING), HeardFiles(folder / "heard"))
    return [word.text for word in scribe.transcribe(Path("talk.mp3")).words]


@pytest.mark.faults
def test_kills_lose_at_most_the_pieces_in_flight(tmp_path: Path) -> None:
    chance = random.Random(3)
    module = "tests.faults.test_transcription_kills"
    code = f"from pathlib import Path; from {module} import transcribe; transcribe(Path({str(tmp_path)!r}), pause=0.1)"
    log = tmp_path / "asked"
    log.touch()
    kills = 0
    for _ in range(PIECES):
        enough = len(log.read_text().split()) + chance.randint(1, 9)
        with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) as running:
            while running.poll() is None and len(log.read_text().split()) < enough:
                time.sleep(chance.uniform(0.001, 0.05))
            if running.poll() is None:
                running.kill()
                kills += 1
            else:
                assert running.returncode == 0
                break
    assert kills > 2
    asked = log.read_text().split()
    assert len(set(asked)) == PIECES
    assert len(asked) <= PIECES + kills * PARALLEL
    whole = transcribe(tmp_path)
    assert log.read_text().split() == asked  # nothing was left to ask
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    assert whole == transcribe(fresh)
    assert len(whole) == PIECES * 599
