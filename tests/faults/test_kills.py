"""A real `index` is killed at random moments and before each step that touches its folder. Nothing that was indexed is
lost, and the next run needs no hand.

QANDAI_FAULT_KILLS sets how often in each test (3; `make faults`: 25), QANDAI_FAULT_SEED the moments.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from qandai import compose
from qandai.adapters.chroma_store import ChromaStore
from qandai.settings import Settings
from tests.archive import topical

KILLS = int(os.environ.get("QANDAI_FAULT_KILLS", "3"))
SEED = int(os.environ.get("QANDAI_FAULT_SEED", "7"))

pytestmark = [pytest.mark.faults, pytest.mark.model, pytest.mark.timeout(1800)]


class Home:
    def __init__(self, folder: Path, expected: dict[str, int] | None = None, *, models: Path | None = None) -> None:
        (folder / "people").mkdir(parents=True, exist_ok=True)
        if models:
            (folder / "store").mkdir()
            (folder / "store" / "models").symlink_to(models)
        (folder / "people" / "ann.yaml").write_text("name: Ann\nembedding: minilm\n")
        self.settings = Settings.read({}, home=folder)
        self.transcripts = compose.transcripts(self.settings)
        self.embedder = compose.Embedders(self.settings).named("minilm")
        self.transcripts_folder = folder / "transcripts" / "ann"
        self.expected: dict[str, int] = dict(expected or {})

    def say(self, video_id: str, *, start: int) -> None:
        """A new talk, or another version of one."""
        self.transcripts.write("ann", topical(video_id, start=start, count=15))
        self.expected[video_id] = start

    def start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "qandai", "--home", str(self.settings.home), "index", "ann", "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def index(self) -> dict[str, object]:
        child = self.start()
        out, err = child.communicate()
        assert child.returncode == 0, err.decode()
        (person,) = json.loads(out)["persons"]
        assert person["error"] is None
        assert not person["failed"]
        return dict(person)

    def read(self) -> dict[str, str]:
        """The words of each recording as a reader finds them."""
        recipe = compose.recipe(self.settings, (self.embedder,))
        shelf = ChromaStore(self.settings.store).open("ann", recipe)
        try:
            found: dict[str, list[str]] = {}
            for place, text in zip(shelf.places, shelf.texts, strict=True):
                found.setdefault(place.video_id, []).append(text)
            assert len(shelf.read(range(len(shelf.places)))) == len(shelf.places)
            return {video_id: " ".join(texts) for video_id, texts in found.items()}
        finally:
            shelf.close()

    def written(self) -> dict[str, str]:
        return {
            video_id: topical(video_id, start=start, count=15).row.whole().text
            for video_id, start in self.expected.items()
        }


def test_kills_at_random_moments_lose_nothing_and_need_no_hand(
    tmp_path: Path, kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home, chance = Home(tmp_path, models=kept / "models"), random.Random(SEED)
    home.embedder.query("builds the model once")
    for number in range(6):
        home.say(f"v{number}", start=number * 20)
    began = time.monotonic()
    home.index()
    longest = whole = time.monotonic() - began
    before = home.read()
    assert before == home.written()
    killed = number = 0
    while killed < KILLS:
        home.say(f"new{number}", start=1000 + number * 20)
        home.say(f"v{number % 6}", start=5000 + number * 20)
        began = time.monotonic()
        child = home.start()
        try:
            child.wait(timeout=chance.uniform(0.1, whole))
            whole = time.monotonic() - began
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            killed += 1
        child.communicate()
        after = home.read()
        # What is read is what was read before, or all of the new; never a mixture, never less.
        assert after in (before, home.written())
        if number % 4 == 3:
            home.index()
            assert home.read() == home.written()
            after = home.written()
        before = after
        number += 1
    report = home.index()
    assert home.read() == home.written()
    assert report["mended"] is None
    left = {path.name for path in (home.settings.store / "ann").iterdir()}
    assert not any(name.startswith(("part-", ".")) for name in left)
    told = f"{killed} of {number} runs of up to {longest:.1f} s killed, seed {SEED}: nothing lost"
    with capsys.disabled():
        sys.stdout.write(f"\nindex: {told}\n")


_KILLS_ITSELF = """
import os, signal, sys
home, at = sys.argv[1], int(sys.argv[2])
steps = 0
TOUCHES = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.copyfile", "sqlite3.connect")

def count(event, arguments):
    global steps
    if event in TOUCHES and any(str(argument).startswith(home + "/store/ann") for argument in arguments):
        steps += 1
        if steps == at:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(count)
sys.argv = ["qandai", "--home", home, "index", "ann"]
from qandai.cli.main import main
try:
    main()
finally:
    print(steps)
"""


def test_a_kill_before_any_step_that_touches_the_store_loses_nothing(
    tmp_path: Path, kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = Home(tmp_path / "whole", models=kept / "models")
    home.embedder.query("builds the model once")
    for number in range(3):
        home.say(f"v{number}", start=number * 20)
        home.index()  # so that there is a generation to sweep
    before = home.read()
    home.say("new", start=500)
    home.say("v0", start=600)
    (home.transcripts_folder / "v1.json").unlink()
    del home.expected["v1"]

    def run(folder: Path, at: int) -> subprocess.CompletedProcess[str]:
        shutil.copytree(tmp_path / "whole", folder, symlinks=True)
        command = [sys.executable, "-c", _KILLS_ITSELF, str(folder), str(at)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    steps = int(run(tmp_path / "counted", 0).stdout.split()[-1])
    assert steps > 20
    for at in sorted({1 + round(number * (steps - 1) / max(1, KILLS - 1)) for number in range(KILLS)}):
        folder = tmp_path / f"killed{at}"
        assert run(folder, at).returncode == -signal.SIGKILL, at
        killed = Home(folder, home.expected)
        assert killed.read() in (before, home.written()), at
        assert killed.index()["mended"] is None
        assert killed.read() == home.written(), at
        shutil.rmtree(folder)
    with capsys.disabled():
        sys.stdout.write(f"\nindex: killed before {min(KILLS, steps)} of the {steps} steps that touch the store\n")
