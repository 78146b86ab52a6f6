"""Fails when the locks and pyproject.toml disagree: the locks are compiled again with their own pins as preferences."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMPILE = ("pip", "compile", "--quiet", "--universal", "--generate-hashes", "--no-emit-index-url", "--no-header")


def main() -> int:
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or "uv"
    differing = []
    with tempfile.TemporaryDirectory() as folder:
        for name, options in (
            ("requirements.lock", ("--extra", "setup")),
            ("requirements-dev.lock", ("--all-extras", "-c", "requirements.lock")),
        ):
            fresh = Path(folder) / name
            shutil.copy(ROOT / name, fresh)  # uv keeps the pins of an existing output where pyproject allows them
            command = [uv, *COMPILE, "--python-version", "3.11", "pyproject.toml", *options, "-o", str(fresh)]
            subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            if fresh.read_text() != (ROOT / name).read_text():
                differing.append(name)
            if re.search(r"https?://\S*/(simple|packages)/", fresh.read_text()):
                differing.append(f"{name} (it names a registry's address)")
    for name in differing:
        print(f"{name} does not agree with pyproject.toml. Run: make lock", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
