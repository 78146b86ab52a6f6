"""What a test needs from the machine. Where it is absent the test is skipped with the remedy, or fails where
everything must be there (QANDAI_REQUIRE_ALL)."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def program(name: str, install: str) -> None:
    if shutil.which(name) is None:
        _absent(f"{name} is missing: {install}")


def module(name: str, extra: str) -> None:
    if importlib.util.find_spec(name) is None:
        _absent(f"{name} is missing: pip install 'qandai[{extra}]'")


def shared(*path: str) -> Path:
    """A folder or file of the real recordings, which are no part of the project; skips where they are not."""
    found = Path(os.environ.get("QANDAI_SHARED_DATA") or ROOT.parent / "shared" / "data").joinpath(*path)
    if not found.exists():
        pytest.skip(f"{found.name} is not there: QANDAI_SHARED_DATA names the folder of real recordings")
    return found


def _absent(reason: str) -> None:
    if os.environ.get("QANDAI_REQUIRE_ALL"):
        pytest.fail(reason)
    pytest.skip(reason)
