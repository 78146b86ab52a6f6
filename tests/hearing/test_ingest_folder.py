"""A folder of real recordings, no key, no network: heard, indexed, asked."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from qandai import compose, compose_ingest
from qandai.answer import Answer
from qandai.ingest.report import Orders
from qandai.model import Question
from qandai.settings import Settings
from tests import needs

pytestmark = [pytest.mark.shared, pytest.mark.model, pytest.mark.timeout(600)]


def test_a_folder_of_recordings_answers_from_the_right_second(tmp_path: Path, lend: Callable[[Path], None]) -> None:
    lend(tmp_path)
    needs.program("ffmpeg", "apt-get install ffmpeg")
    needs.module("faster_whisper", "whisper")
    folder = tmp_path / "audio/ann"
    folder.mkdir(parents=True)
    for name in ("jfk.mp3", "hyperaudio_test.mp3", "empty.wav"):
        shutil.copy(needs.shared("audio", name), folder)
    (tmp_path / "people").mkdir()
    (tmp_path / "people/ann.yaml").write_text("name: Ann\nsources: [{audio: audio/ann}]\n")
    settings = Settings.read({"QANDAI_HOME": str(tmp_path)})
    ann = compose.people(settings).get("ann")
    with compose_ingest.ingester(settings) as ingester:
        report = ingester.ingest(ann, Orders(), lambda *step: None)
    states = {entry.title: (entry.state, entry.reason) for entry in report.entries.values()}
    assert states["jfk"] == states["hyperaudio_test"] == ("indexed", "")
    assert states["empty"] == ("skipped", "no speech is heard in the recording")
    for video_id in compose.transcripts(settings).ids("ann"):
        assert compose.transcripts(settings).read("ann", video_id).exact_share > 0.9
    answer = compose.asker(settings).ask(Question("ann", "What should you ask you can do for your country?"))
    assert isinstance(answer, Answer)
    assert answer.clip.video.title == "jfk"
    assert "ask not what your country can do for you" in answer.clip.quote.text
    assert answer.clip.start < 1.0
    assert answer.clip.exact
