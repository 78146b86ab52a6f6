"""What visitors report, at a server: kept, found by ingest, forgotten, and never in the way of an answer."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from qandai import compose, compose_ingest
from qandai.settings import Settings
from tests.archive import topical
from tests.integration.test_serving import call, serving

Lend = Callable[[Path], None]
FAULT = {"kind": "playback", "person": "ann", "video_id": "talk", "code": 101, "at": 3.5}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "ann.yaml").write_text("name: Ann\nembedding: minilm\n")
    compose.transcripts(Settings.read({}, home=tmp_path)).write("ann", topical("talk", start=0, count=8))
    return tmp_path


def post(address: str, path: str, **given: object) -> tuple[int, dict[str, object]]:
    status, _, body = call(address, path, json.dumps(given).encode())
    return status, json.loads(body)


def wait_until_ready(address: str) -> None:
    deadline = time.monotonic() + 120
    while call(address, "/ready")[0] != 200:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_report_outlives_the_server_reaches_ingest_and_is_forgotten(home: Path, lend: Lend) -> None:
    settings = Settings.read({}, home=home)
    assert compose_ingest.refused(settings, "ann") == {}
    assert not (home / "store").exists()
    lend(home)
    with serving(home) as (_, address):
        wait_until_ready(address)
        assert b"data-feedback" in call(address, "/ann")[2]
        for report in (FAULT, FAULT, FAULT | {"code": "153"}):
            assert post(address, "/api/feedback", **report) == (202, {"accepted": True})
        assert post(address, "/api/feedback", **(FAULT | {"person": "bob"}))[0] == 404
        assert post(address, "/api/feedback", **(FAULT | {"video_id": "none"}))[0] == 404
    assert list(compose_ingest.refused(settings, "ann")) == ["talk"]
    with closing(compose.feedback(settings)) as notes:
        assert notes.refusals("ann")["talk"].count == 2
    done = subprocess.run(
        [sys.executable, "-m", "qandai", "--home", str(home), "forget", "ann", "talk"],
        capture_output=True,
        text=True,
    )
    assert "what visitors reported" in done.stdout, done.stderr
    assert compose_ingest.refused(settings, "ann") == {}


def of_a_newer_version(home: Path) -> None:
    with closing(compose.feedback(Settings.read({}, home=home))) as notes:
        notes.open()
    with closing(sqlite3.connect(home / "store" / "qandai.sqlite3")) as newer, newer:
        newer.execute("UPDATE alembic_version SET version_num = '9999'")


def no_database(home: Path) -> None:
    (home / "store" / "qandai.sqlite3").write_bytes(b"anything but a database " * 500)


@pytest.mark.parametrize(
    ("broken", "said", "code"),
    [(of_a_newer_version, "newer version of Q&AI", "not_ready"), (no_database, "not a database", "not_kept")],
)
def test_a_database_that_cannot_be_used_is_named_and_the_site_answers(
    home: Path, lend: Lend, broken: Callable[[Path], None], said: str, code: str
) -> None:
    lend(home)
    broken(home)
    before = (home / "store" / "qandai.sqlite3").read_bytes()
    with serving(home) as (process, address):
        wait_until_ready(address)
        status, refused = post(address, "/api/feedback", **FAULT)
        assert (status, refused["error"]["code"]) == (503, code)  # type: ignore[index]
        question = topical("talk", start=0, count=8).row.whole().text.split(".")[0]
        assert post(address, "/api/ask", person="ann", question=question)[1]["answered"] is True
        process.terminate()
        assert process.wait(20) == 0
        assert process.stderr
        printed = process.stderr.read()
        assert "What visitors report is not kept" in printed
        assert said in printed
    assert (home / "store" / "qandai.sqlite3").read_bytes() == before


def test_a_file_that_others_hold_locked_costs_two_threads_and_no_answer(home: Path, lend: Lend) -> None:
    lend(home)
    with serving(home) as (_, address), ThreadPoolExecutor(24) as visitors:
        wait_until_ready(address)
        assert post(address, "/api/feedback", **FAULT)[0] == 202
        with closing(sqlite3.connect(home / "store" / "qandai.sqlite3")) as other:
            other.execute("BEGIN EXCLUSIVE")
            reports = [visitors.submit(post, address, "/api/feedback", **FAULT) for _ in range(24)]
            time.sleep(0.5)
            began = time.monotonic()
            assert call(address, "/health")[0] == 200
            assert post(address, "/api/ask", person="ann", question="What is said about sails?")[1]["answered"] is True
            assert time.monotonic() - began < 3.0
            codes = Counter(report.result()[1]["error"]["code"] for report in reports)  # type: ignore[index]
            assert codes == {"not_kept": 2, "busy": 22}
            other.rollback()
        assert post(address, "/api/feedback", **FAULT)[0] == 202
