"""A disk that is full while `index` writes: said, nothing lost, and the next run needs no hand.

A limit on file size stands in for the disk: writes fail in the same places, at a different number.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from qandai import compose
from qandai.adapters.chroma_store import ChromaStore
from qandai.settings import Settings
from tests.archive import topical

pytestmark = [pytest.mark.faults, pytest.mark.model, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, kept: Path) -> Settings:
    home = tmp_path_factory.mktemp("home")
    (home / "store").mkdir()
    (home / "store" / "models").symlink_to(kept / "models")
    (home / "people").mkdir()
    (home / "people" / "ann.yaml").write_text("name: Ann\nembedding: minilm\n")
    settings = Settings.read({}, home=home)
    compose.Embedders(settings).named("minilm").query("builds the model while there is room")
    compose.transcripts(settings).write("ann", topical("old", count=60))
    assert index(settings).returncode == 0
    return settings


def index(settings: Settings, limit: int = resource.RLIM_INFINITY) -> subprocess.CompletedProcess[str]:
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)\n"
        "sys.argv = ['qandai', '--home', sys.argv[2], 'index', 'ann']\n"
        "from qandai.cli.main import main; main()"
    )
    return subprocess.run(
        [sys.executable, "-c", program, str(limit), str(settings.home)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )


def read(settings: Settings) -> list[str]:
    recipe = compose.recipe(settings, (compose.Embedders(settings).named("minilm"),))
    shelf = ChromaStore(settings.store).open("ann", recipe)
    try:
        assert len(shelf.read(range(len(shelf.places)))) == len(shelf.places)
        return list(shelf.videos)
    finally:
        shelf.close()


@pytest.mark.parametrize("kilobytes", [0, 30, 250, 500, 900])
def test_a_full_disk_is_said_and_loses_nothing(settings: Settings, kilobytes: int) -> None:
    name = f"new{kilobytes}"
    before = read(settings)
    compose.transcripts(settings).write("ann", topical(name, start=kilobytes * 10, count=60))
    cramped = index(settings, kilobytes * 1000)
    if cramped.returncode == 0:
        assert name in read(settings)
        pytest.skip(f"{kilobytes} KB are enough for this index")
    assert cramped.returncode == 1
    assert "full" in cramped.stderr, cramped.stderr
    assert "Traceback" not in cramped.stderr
    assert read(settings) == before
    assert index(settings).returncode == 0
    assert read(settings) == sorted([*before, name])
