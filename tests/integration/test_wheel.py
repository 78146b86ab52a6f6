"""What is installed is whole: the package with its pages, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests import needs
from tests.needs import ROOT

BUILD = "import sys; from hatchling.build import build_editable, build_wheel; {}(sys.argv[1])"
OPEN = """
import sys
from pathlib import Path
import qandai
from qandai import compose
from qandai.settings import Settings
from qandai.web.app import create_app

settings = Settings.read({"QANDAI_HOME": sys.argv[1]})
client = create_app(compose.site(settings)).test_client()
assert b"Nobody is here yet" in client.get("/").data
for path in sys.argv[2:]:
    assert client.get(path, buffered=True).status_code == 200, path
print(Path(qandai.__file__).parent)
"""


def built(folder: Path, kind: str) -> zipfile.ZipFile:
    needs.module("hatchling", "setup")
    subprocess.run([sys.executable, "-c", BUILD.format(kind), str(folder)], cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return zipfile.ZipFile(wheel)


def below(folder: str) -> set[str]:
    paths = (ROOT / folder).rglob("*")
    return {path.relative_to(ROOT).as_posix() for path in paths if path.is_file() and "__pycache__" not in path.parts}


@pytest.mark.timeout(60)
def test_a_wheel_carries_the_package_with_its_pages_and_serves_them(tmp_path: Path) -> None:
    with built(tmp_path, "build_wheel") as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}
        wheel.extractall(tmp_path / "installed")
    static = below("static")
    assert held == below("qandai") | {f"qandai/web/{name}" for name in static | below("templates")}
    environ = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    command = [sys.executable, "-c", OPEN, str(tmp_path), *(f"/{name}" for name in sorted(static))]
    opened = subprocess.run(command, cwd=tmp_path, env=environ, check=True, capture_output=True, text=True)
    assert opened.stdout.splitlines()[-1] == str(tmp_path / "installed" / "qandai")


def test_a_checkout_that_is_installed_in_place_leaves_no_copies_behind(tmp_path: Path) -> None:
    with built(tmp_path, "build_editable") as wheel:
        assert [name for name in wheel.namelist() if ".dist-info/" not in name] == ["_editable_impl_qandai.pth"]
