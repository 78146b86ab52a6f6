"""What all tests share: how hard the laws are tried, and what takes long to make."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# Fewer examples in the suite that runs at every change, more where time is taken.

settings.register_profile("quick", max_examples=25, deadline=None)
settings.register_profile("thorough", max_examples=500, deadline=None)
settings.load_profile(os.environ.get("QANDAI_LAWS", "quick"))


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
