"""`qandai index` as it is typed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from qandai import compose
from qandai.adapters.chroma_store import ChromaStore
from qandai.settings import Settings
from tests.archive import topical
from tests.build import talk

pytestmark = pytest.mark.model


@pytest.fixture
def home(tmp_path: Path, kept: Path) -> Path:
    for slug in ("ann", "βο"):
        (tmp_path / "people").mkdir(exist_ok=True)
        (tmp_path / "people" / f"{slug}.yaml").write_text("name: Somebody\nembedding: minilm\n", encoding="utf-8")
        for number in range(2):
            say(tmp_path, slug, f"v{number}")
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "models").symlink_to(kept / "models")
    return tmp_path


def say(home: Path, slug: str, video_id: str, *, start: int = 0, count: int = 4) -> None:
    compose.transcripts(Settings.read({}, home=home)).write(slug, topical(video_id, start=start, count=count))


def command(home: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "qandai", "--home", str(home), "index", *words]


def run(home: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(home, *words), capture_output=True, text=True, check=False, env={**os.environ, **variables}
    )


def test_everybody_is_indexed_and_then_there_is_nothing_to_do(home: Path) -> None:
    first = run(home)
    assert (first.returncode, first.stderr) == (0, "")
    assert [line.split(";")[0] for line in first.stdout.splitlines()] == ["ann: 2 added", "βο: 2 added"]
    again = run(home)
    assert [line.split(";")[0] for line in again.stdout.splitlines()] == ["ann: 2 unchanged", "βο: 2 unchanged"]


def test_one_bad_person_never_stops_the_others(home: Path) -> None:
    (home / "people" / "ann.yaml").write_text("nome: Ann\n")
    done = run(home)
    assert done.returncode == 1
    assert "people/ann.yaml:1" in done.stderr
    assert "βο: 2 added" in done.stdout


def test_a_bad_transcript_is_named_and_the_others_are_indexed(home: Path) -> None:
    (home / "transcripts" / "ann" / "v0.json").write_text("{")
    done = run(home, "ann")
    assert done.returncode == 1
    assert "1 added, 1 failed" in done.stdout
    assert "ann/v0" in done.stderr


def test_json_says_what_was_done(home: Path) -> None:
    done = run(home, "ann", "nobody", "--json")
    assert done.returncode == 1
    ann, nobody = json.loads(done.stdout)["persons"]
    assert (ann["person"], ann["added"], ann["error"]) == ("ann", ["v0", "v1"], None)
    assert ann["passages"] > 0
    assert "nobody" in nobody["error"]["message"]


def test_passages_that_the_embedder_does_not_read_to_the_end_are_counted(home: Path) -> None:
    greek = talk("v0", " ".join(["θάλασσα"] * 100) + ".")
    compose.transcripts(Settings.read({}, home=home)).write("ann", greek)
    done = run(home, "ann", QANDAI_PASSAGE_CHARS="1000")
    assert done.returncode == 0
    assert "does not read the end of 1 passages. Try a smaller QANDAI_PASSAGE_CHARS" in done.stderr


def test_other_settings_are_refused_with_the_command_that_helps(home: Path) -> None:
    run(home, "ann")
    refused = run(home, "ann", QANDAI_PASSAGE_CHARS="500")
    assert refused.returncode == 1
    assert "qandai index ann --rebuild" in refused.stderr
    assert run(home, "ann", "--rebuild", QANDAI_PASSAGE_CHARS="500").returncode == 0


def test_help_loads_no_model_and_no_chroma(home: Path) -> None:
    program = (
        "import sys; sys.argv = ['qandai', 'index', '--help']\n"
        "from qandai.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "assert not {'chromadb', 'onnxruntime', 'tokenizers', 'onnx'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)


def test_told_to_end_it_finishes_the_recording_in_hand_and_keeps_what_is_done(home: Path) -> None:
    for number in range(60):
        say(home, "ann", f"w{number:02d}", start=number * 40, count=40)
    child = subprocess.Popen(command(home, "ann", "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    vectors = home / "store" / "vectors"
    while child.poll() is None and len(list(vectors.rglob("*.vec"))) < 4:
        time.sleep(0.02)
    child.send_signal(signal.SIGTERM)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 1, err.decode()
    (ann,) = json.loads(out)["persons"]
    assert (ann["stopped"], ann["written"]) == (True, True)
    assert 4 <= len(ann["added"]) < 60
    settings = Settings.read({}, home=home)
    recipe = compose.recipe(settings, (compose.Embedders(settings).named("minilm"),))
    shelf = ChromaStore(settings.store).open("ann", recipe)
    assert sorted(shelf.videos) == sorted(ann["added"])
    shelf.close()


def test_a_second_run_for_the_same_person_is_refused_and_told_who_runs(home: Path) -> None:
    for number in range(4):
        say(home, "ann", f"w{number:02d}", start=number * 40, count=40)
    first = subprocess.Popen(command(home, "ann"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while first.poll() is None and not (home / "store" / "ann" / "writer.json").exists():
        time.sleep(0.02)
    first.send_signal(signal.SIGSTOP)  # so that it still writes when the second comes
    second = run(home, "ann")
    first.send_signal(signal.SIGCONT)
    assert second.returncode == 1
    assert f"(process {first.pid}, since " in second.stderr
    assert "index ann`" in second.stderr
    assert first.wait() == 0
