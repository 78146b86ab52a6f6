"""A real `ingest` is killed at random moments. Each kill costs at most the video in flight.

QANDAI_FAULT_KILLS sets how often (20), QANDAI_FAULT_SEED the moments.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from qandai.adapters.ledgers import LedgerFiles
from qandai.adapters.transcripts import TranscriptFiles
from tests.needs import ROOT
from tests.youtube_site import Channel, Video, automatic, speech

KILLS = int(os.environ.get("QANDAI_FAULT_KILLS", "20"))
SEED = int(os.environ.get("QANDAI_FAULT_SEED", "7"))
VIDEOS = 40

pytestmark = [pytest.mark.faults, pytest.mark.timeout(1800)]

CHILD = """
import sys
from qandai import compose, compose_ingest
from qandai.ingest.report import Orders
from qandai.settings import Settings
from tests.faults.test_ingest_kills import channel

home, base = sys.argv[1:]
site = channel()
site.base = base
settings = Settings.read({"QANDAI_HOME": home, "QANDAI_YOUTUBE_PAUSE": "0"})
with compose_ingest.ingester(settings, opens=site.opens, index=False) as ingester:
    ingester.ingest(compose.people(settings).get("ann"), Orders(), lambda *step: print(*step, flush=True))
"""


def channel() -> Channel:
    videos = [Video(f"video{n:02}aaaa", f"Talk {n}", auto={"en": f"a{n}"}) for n in range(VIDEOS)]
    return Channel(videos, {f"a{n}": automatic(speech(n)) for n in range(VIDEOS)})


def start(home: Path, base: str) -> subprocess.Popen[str]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", CHILD, str(home), base]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ)


def test_a_kill_costs_at_most_the_video_in_flight(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "people").mkdir(parents=True)
    (home / "people/ann.yaml").write_text("name: Ann\nsources: [{youtube: 'https://www.youtube.com/@ann/videos'}]\n")
    dice = random.Random(SEED)
    transcripts, ledgers = (
        TranscriptFiles(home / "transcripts"),
        LedgerFiles(home / "transcripts", home / "store/ingest"),
    )
    kills = 0
    with channel().served() as site:
        while kills < KILLS:
            child = start(home, site.base)
            assert child.stdout is not None
            child.stdout.readline()  # it has begun
            time.sleep(dice.uniform(0, 0.5))
            if child.poll() is None:
                child.send_signal(signal.SIGKILL)
                kills += 1
            child.communicate()
            for video_id in transcripts.ids("ann"):
                assert transcripts.read("ann", video_id).words, "a transcript is there whole or not at all"
            done = [entry for entry in ledgers.read("ann").values() if entry.state == "transcribed"]
            assert {entry.id for entry in done} <= set(transcripts.ids("ann"))
            if len(done) == VIDEOS:  # all over again, with what is left of the kills
                for name in (*(home / "transcripts/ann").iterdir(),):
                    name.unlink()
                site.fetched.clear()
        child = start(home, site.base)
        child.communicate()
        assert child.returncode == 0
    states = Counter(entry.state for entry in ledgers.read("ann").values())
    assert states == {"transcribed": VIDEOS}, json.dumps(states)
    assert len(site.fetched) - VIDEOS <= kills, "one caption file a kill is asked for twice, no more"
    assert len(transcripts.ids("ann")) == VIDEOS
