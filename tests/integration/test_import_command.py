"""`qandai import` from the shell's side: exit codes, what is printed, what lies on the disk afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from qandai.adapters.transcripts import TranscriptFiles
from qandai.cli.importing import command
from qandai.errors import UsageError
from qandai.model import join
from qandai.settings import Settings

VTT = "WEBVTT\n\n00:01.000 --> 00:02.000\nhello there\n"
SRT = "1\n00:00:01,000 --> 00:00:02,000\nhello here\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "ann.yaml").write_text("name: Ann\n")
    (tmp_path / "talk.vtt").write_text(VTT)
    (tmp_path / "talk.srt").write_text(SRT)
    (tmp_path / "bad.json").write_text("{")
    return tmp_path


def run(home: Path, *arguments: object) -> Result:
    settings = Settings(home=home)
    return CliRunner().invoke(command, [str(argument) for argument in arguments], obj=settings)


def test_a_file_becomes_a_transcript_and_the_next_command_is_named(home: Path) -> None:
    done = run(home, "ann", home / "talk.vtt", "--title", "A talk", "--published", "2024-05-31")
    assert done.exit_code == 0
    assert "talk.vtt: talk, 2 words, 50% exactly timed" in done.stdout
    assert "qandai index ann" in done.stdout
    kept = TranscriptFiles(home / "transcripts").read("ann", "talk")
    assert (join(kept.words), kept.video.title, kept.video.published) == ("hello there", "A talk", "2024-05-31")
    assert not (home / "store").exists()


def test_a_bad_file_never_stops_the_others_and_the_exit_code_tells(home: Path) -> None:
    done = run(home, "ann", home / "bad.json", home / "gone.vtt", home, home / "talk.vtt")
    assert done.exit_code == 1
    assert "bad.json: refused: line 1 is broken JSON" in done.stderr
    assert "gone.vtt: refused: it cannot be opened" in done.stderr
    assert TranscriptFiles(home / "transcripts").ids("ann") == ("talk",)


def test_two_formats_of_one_name_are_two_recordings_and_each_is_replaced_by_itself(home: Path) -> None:
    for again in (False, True):
        done = run(home, "ann", home / "talk.srt", home / "talk.vtt", "--json")
        rows = json.loads(done.stdout)["files"]
        assert [(row["video_id"], row["replaced"]) for row in rows] == [("talk", again), ("talk-vtt", again)]


def test_one_id_twice_in_a_run_is_refused_the_second_time(home: Path) -> None:
    for name in ("a.json", "b.json"):
        (home / name).write_text('{"video_id": "same", "segments": [{"start": 0, "text": "hi"}]}')
    done = run(home, "ann", home / "a.json", home / "b.json")
    assert done.exit_code == 1
    assert "b.json: refused: it has the id same, as a.json has." in done.stderr


def test_json_says_everything(home: Path) -> None:
    done = run(home, "ann", home / "talk.vtt", home / "bad.json", "--json")
    printed = json.loads(done.stdout)
    assert printed["person"] == "ann"
    assert printed["next"] == "qandai index ann"
    assert printed["files"][0] == {
        "file": str(home / "talk.vtt"),
        "video_id": "talk",
        "title": "talk",
        "format": "WebVTT",
        "words": 2,
        "exact_share": 0.5,
        "repairs": {},
        "replaced": False,
    }
    assert "broken JSON" in printed["files"][1]["error"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("ann", "talk.vtt", "talk.srt", "--video-id", "x"),
        ("ann", "talk.vtt", "talk.srt", "--title", "x"),
        ("ann", "talk.vtt", "talk.srt", "--url", "https://youtu.be/dQw4w9WgXcQ"),
        ("ann", "talk.vtt", "--video-id", "a/b"),
        ("ann", "talk.vtt", "--published", "yesterday"),
        ("../ann", "talk.vtt"),
        ("api", "talk.vtt"),
    ],
)
def test_bad_usage_imports_nothing(home: Path, arguments: tuple[str, ...]) -> None:
    files = [home / argument if argument.endswith((".vtt", ".srt")) else argument for argument in arguments]
    done = run(home, *files)
    assert isinstance(done.exception, UsageError)
    assert not (home / "transcripts").exists()


def test_no_file_is_bad_usage(home: Path) -> None:
    assert run(home, "ann").exit_code == 2


def test_a_person_without_a_file_is_imported_for_and_told(home: Path) -> None:
    done = run(home, "ben", home / "talk.vtt")
    assert done.exit_code == 0
    assert "no people/ben.yaml yet" in done.stderr
