"""A real `ingest`, indexing included, is killed in every stage. Each kill costs at most the video in flight.

QANDAI_FAULT_KILLS sets how often (3; `make faults`: 25), QANDAI_FAULT_SEED the moments.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from qandai import compose
from qandai.errors import NotReady
from qandai.settings import Settings
from tests.needs import ROOT
from tests.youtube_site import Channel, Video, automatic, speech

KILLS = int(os.environ.get("QANDAI_FAULT_KILLS", "3"))
SEED = int(os.environ.get("QANDAI_FAULT_SEED", "7"))
VIDEOS = 16

STAGES = {"indexing": 1.0, "transcripts": 0.3, "comparing": 0.05, "listing": 0.1, "starting": 0.8}
"""Seconds within which each is struck; what comes after the last recording is indexed counts to that stage."""

pytestmark = [pytest.mark.faults, pytest.mark.model, pytest.mark.timeout(1800)]

CHILD = """
import sys
from qandai import compose, compose_ingest
from qandai.ingest.report import Orders
from qandai.settings import Settings
from tests.faults.test_ingest_kills import channel

home, base, season = sys.argv[1:]
site = channel(int(season))
site.base = base
settings = Settings.read({"QANDAI_HOME": home, "QANDAI_YOUTUBE_PAUSE": "0"})
with compose_ingest.ingester(settings, opens=site.opens) as ingester:
    ingester.ingest(compose.people(settings).get("ann"), Orders(), lambda *step: print(*step, flush=True))
"""

PERSON = "name: Ann\nembedding: minilm\nsources: [{youtube: 'https://www.youtube.com/@ann/videos'}]\n"


def said(season: int) -> dict[str, list[str]]:
    """The words of each recording: other ones in each season."""
    return {f"video{n:02}aaaa": speech(100 * season + n) for n in range(VIDEOS)}


def channel(season: int) -> Channel:
    words = said(season)
    videos = [Video(video_id, f"Talk {video_id}", auto={"en": video_id}) for video_id in words]
    return Channel(videos, {video_id: automatic(spoken) for video_id, spoken in words.items()})


class Home:
    def __init__(self, folder: Path, models: Path) -> None:
        (folder / "people").mkdir(parents=True)
        (folder / "store").mkdir()
        (folder / "store/models").symlink_to(models)
        (folder / "people/ann.yaml").write_text(PERSON)
        self.settings = Settings.read({}, home=folder)
        compose.Embedders(self.settings).named("minilm").query("builds the model once")
        self.transcripts, self.ledgers = compose.transcripts(self.settings), compose.ledgers(self.settings)
        self.season = 0

    def start(self, base: str) -> subprocess.Popen[str]:
        environ = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", CHILD, str(self.settings.home), base, str(self.season)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ)

    def states(self) -> Mapping[str, int]:
        return Counter(entry.state for entry in self.ledgers.read("ann").values())

    def check(self) -> None:
        """Whatever happened before: what is there is whole, and what is told to be there is."""
        now, before, held = said(self.season), said(self.season - 1), self.indexed()
        for entry in self.ledgers.read("ann").values():
            if entry.state in ("transcribed", "indexed"):
                assert [word.text for word in self.transcripts.read("ann", entry.id).words] == now[entry.id]
            if entry.state == "indexed":
                assert held[entry.id] == now[entry.id]
        assert all(words in (now[video_id], before[video_id]) for video_id, words in held.items())

    def indexed(self) -> Mapping[str, list[str]]:
        """The words of each recording as a reader finds them."""
        try:
            with compose.shelves(self.settings).borrow("ann") as shelf:
                found: dict[str, list[str]] = {}
                for place, text in zip(shelf.places, shelf.texts, strict=True):
                    found.setdefault(place.video_id, []).extend(text.split())
                return found
        except NotReady:
            return {}

    def begin_anew(self, site: Channel) -> None:
        """With what is left of the kills in the store."""
        shutil.rmtree(self.settings.home / "transcripts" / "ann")
        self.season += 1
        site.files = channel(self.season).files
        site.fetched.clear()


def killed(child: subprocess.Popen[str], aimed_at: str, after: float) -> str | None:
    """The stage that a child was in when it was killed, so many seconds into the stage or the next; None where it had
    ended before."""
    assert child.stdout is not None
    stage = "starting"
    while stage != aimed_at and (line := child.stdout.readline()):
        stage = line.split()[0]
    time.sleep(after)
    ended = child.poll() is not None
    child.kill()
    told, _ = child.communicate()
    if ended:
        assert child.returncode == 0
        return None
    return [stage, *(line.split()[0] for line in told.splitlines())][-1]


def test_a_kill_in_any_stage_costs_at_most_the_video_in_flight(
    tmp_path: Path, kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home, dice = Home(tmp_path / "home", kept / "models"), random.Random(SEED)
    struck: Counter[str] = Counter()
    with channel(0).served() as site:
        while struck.total() < KILLS:
            aimed_at = tuple(STAGES)[struck.total() % len(STAGES)]
            stage = killed(home.start(site.base), aimed_at, dice.uniform(0, STAGES[aimed_at]))
            home.check()
            if stage is not None:
                struck[stage] += 1
            if home.states() == {"indexed": VIDEOS}:
                assert len(site.fetched) <= VIDEOS + struck.total(), "a kill costs one caption file, no more"
                home.begin_anew(site)
        child = home.start(site.base)
        child.communicate()
        assert child.returncode == 0
    home.check()
    assert home.states() == {"indexed": VIDEOS}
    assert home.indexed() == said(home.season)
    with capsys.disabled():
        where = ", ".join(f"{count} {stage}" for stage, count in struck.items())
        sys.stdout.write(f"\ningest: {struck.total()} runs killed ({where}), seed {SEED}: nothing lost\n")
