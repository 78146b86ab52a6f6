"""`qandai serve` as a process: the port, the signals, and what waitress lets through."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def serving(home: Path, *arguments: str, **environ: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server on a free port, and its address, as soon as it names one."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("QANDAI_")}
    kept |= {"QANDAI_LIMIT_VISITOR": "0", "QANDAI_LIMIT_SITE": "0"}
    command = [sys.executable, "-m", "qandai", "--home", str(home), "serve", "--port", "0", *arguments]
    with subprocess.Popen(
        command, cwd=ROOT, env={**kept, **environ}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout
            named = re.search(r"http://\S+", process.stdout.readline())
            assert named, process.stderr.read() if process.stderr else ""
            yield process, named[0]
        finally:
            process.kill()


def call(address: str, path: str, data: bytes | None = None, **headers: str) -> tuple[int, Any, Any]:
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


def test_it_answers_as_soon_as_it_names_its_address_and_leaves_when_told(tmp_path: Path) -> None:
    with serving(tmp_path) as (process, address):
        assert address.startswith("http://127.0.0.1:")
        assert call(address, "/health")[0] == 200
        assert call(address, "/ready")[0] == 503
        assert b"Nobody is here yet" in call(address, "/")[2]
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        with pytest.raises(OSError):
            call(address, "/health")


def test_bodies_over_64_kb_are_refused_in_our_shape_through_waitress_too(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, address):
        for size in (64 * 1024 + 1, 900_000):
            status, headers, body = call(address, "/api/ask", b" " * size)
            assert status == 413
            assert json.loads(body)["error"]["message"]
            assert headers["Content-Security-Policy"]


def test_a_taken_port_is_said_with_what_to_do(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = subprocess.run(
            [sys.executable, "-m", "qandai", "--home", str(tmp_path), "serve", "--port", str(port)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert ended.returncode == 2
    assert f"127.0.0.1:{port}" in ended.stderr
    assert f"--port {port + 1}" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_what_strangers_claim_to_have_forwarded_counts_only_behind_a_trusted_proxy(tmp_path: Path) -> None:
    claim = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.9"}
    with serving(tmp_path) as (_, address):
        assert "Strict-Transport-Security" not in call(address, "/", **claim)[1]
    with serving(tmp_path, TRUSTED_PROXIES="1") as (_, address):
        assert "Strict-Transport-Security" in call(address, "/", **claim)[1]


def test_log_lines_for_machines_are_json_with_the_request_id(tmp_path: Path) -> None:
    with serving(tmp_path, LOG_FORMAT="json") as (process, address):
        call(address, "/api/people", **{"X-Request-ID": "a-known-request"})
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        assert process.stderr
        lines = [json.loads(line) for line in process.stderr if line.startswith("{")]
    mine = [line for line in lines if line.get("request_id") == "a-known-request"]
    assert mine
    assert mine[0]["path"] == "/api/people"
    assert mine[0]["status"] == 200
