"""Which code made a run."""

from __future__ import annotations

import subprocess
from pathlib import Path


def revision() -> str | None:
    """The commit of the checkout, with `+` where it was changed since; None outside a checkout."""
    here = Path(__file__).parent

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=here, capture_output=True, text=True, check=True).stdout.strip()

    try:
        return git("rev-parse", "--short=12", "HEAD") + ("+" if git("status", "--porcelain", "-uno") else "")
    except (OSError, subprocess.CalledProcessError):
        return None
