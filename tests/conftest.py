"""What all tests share: how hard the laws are tried, where folders lie, and what takes long to make."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# Fewer examples in the suite that runs at every change, more where time is taken.

settings.register_profile("quick", max_examples=20, deadline=None)
settings.register_profile("thorough", max_examples=500, deadline=None)
settings.load_profile(os.environ.get("QANDAI_LAWS", "quick"))


MEMORY = Path("/dev/shm")
"""The store waits for the disk at every step, and tests make many stores: in memory they take a quarter of the time."""

ROOM = 4 * 2**30
"""Bytes free in memory, below which folders lie where pytest would put them."""


def pytest_configure(config: pytest.Config) -> None:
    if config.option.basetemp is None and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
        for left in MEMORY.glob("qandai-tests-*"):  # by a run that was killed
            if time.time() - left.stat().st_mtime > 86400:
                shutil.rmtree(left, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(prefix="qandai-tests-", dir=MEMORY))
        config.option.basetemp = folder / "all"
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store's `models` and `vectors`: what one test built or embedded the others need not."""
    folder = tmp_path_factory.mktemp("kept")
    for name in ("models", "vectors"):
        (folder / name).mkdir()
    return folder


@pytest.fixture(scope="session")
def lend(kept: Path) -> Callable[[Path], None]:
    """Has a home use them."""

    def lend(home: Path) -> None:
        (home / "store").mkdir(exist_ok=True)
        for folder in kept.iterdir():
            (home / "store" / folder.name).symlink_to(folder)

    return lend
