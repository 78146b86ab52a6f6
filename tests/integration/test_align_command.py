"""`qandai align` from the shell's side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from qandai.cli.aligning import command
from qandai.errors import QandaiError, TranscriptError, UsageError
from qandai.settings import Settings

SAID = "well he is not allowed to end it early but yeah that is what the old mill was for yeah"


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    words = [
        {
            "word": word,
            "start": round(0.1 + place * 0.5, 3),
            "end": round(0.5 + place * 0.5, 3),
            "estimated": place == 9,
        }
        for place, word in enumerate(SAID.split())
    ]
    segment = {"start": 0.1, "end": 10.0, "text": SAID, "words": words}
    path = tmp_path / "talk.json"
    path.write_text(json.dumps({"format": 1, "video": {"id": "talk", "title": "A talk"}, "segments": [segment]}))
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments], obj=Settings())


def test_a_quote_is_printed_with_its_start_and_where_a_player_starts(transcript: Path) -> None:
    done = run(transcript, "Allowed to end it, early", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout) == {
        "id": None,
        "found": True,
        "start": 2.1,
        "end": 4.5,
        "play": 1.8,
        "score": 100.0,
        "text": "allowed to end it early",
        "exact": True,
    }


def test_a_player_never_starts_before_the_recording(transcript: Path) -> None:
    row = json.loads(run(transcript, "Well, he is not allowed", "--json").stdout)
    assert (row["start"], row["play"]) == (0.1, 0.0)


def test_an_estimated_first_word_gives_way_to_the_next(transcript: Path) -> None:
    row = json.loads(run(transcript, "but yeah that is what", "--json").stdout)
    assert (row["start"], row["exact"]) == (5.1, True)


def test_what_was_not_said_is_no_failure(transcript: Path) -> None:
    done = run(transcript, "nobody ever spoke about the sea", "--json")
    assert done.exit_code == 0
    row = json.loads(done.stdout)
    assert (row["found"], row["start"], row["play"]) == (False, None, None)
    assert "not said" in run(transcript, "nobody ever spoke about the sea").stdout
    assert "not only once" in run(transcript, "Yeah.").stdout


def test_a_file_of_quotes_gives_a_line_each(transcript: Path, tmp_path: Path) -> None:
    quotes = tmp_path / "quotes.jsonl"
    lines = [{"id": "a", "quote": "he is … allowed to end it"}, {"id": 2, "quote": "the sea is wide and blue"}]
    quotes.write_text("\n".join(json.dumps(line) for line in lines) + "\n\n")
    done = run(transcript, "--quotes", quotes, "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["id"], row["found"]) for row in rows] == [("a", True), (2, False)]
    assert rows[0]["text"] == "he is"
    assert run(transcript, "--quotes", quotes).stdout.startswith("a: 0:00-0:01 (0.60 s, score 100) he is\n2: not said")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "nested"),
        ("[1]", "an object was expected"),
        ('{"quote": "a b c"}', '"id" must be'),
        ('{"id": true, "quote": "a b c"}', '"id" must be'),
        ('{"id": "\\ud800", "quote": "a b c"}', "cannot be printed"),
        ('{"id": 1}', '"quote" must be'),
        ('{"id": 1, "quote": "  "}', '"quote" must be'),
        (json.dumps({"id": 1, "quote": "a " * 60_000}), "longer than"),
    ],
)
def test_a_bad_line_is_refused_with_its_number_and_the_reason(
    transcript: Path, tmp_path: Path, line: str, reason: str
) -> None:
    quotes = tmp_path / "quotes.jsonl"
    quotes.write_text('{"id": 1, "quote": "the old mill was for"}\n' + line)
    done = run(transcript, "--quotes", quotes, "--json")
    assert isinstance(done.exception, QandaiError)
    assert not isinstance(done.exception, UsageError)
    assert "quotes.jsonl:2: " in str(done.exception)
    assert reason in str(done.exception)
    assert not done.stdout


def test_a_file_that_is_not_text_is_refused(transcript: Path, tmp_path: Path) -> None:
    quotes = tmp_path / "quotes.jsonl"
    quotes.write_bytes(b'{"id": 1, "quote": "caf\xe9"}')
    assert "not UTF-8" in str(run(transcript, "--quotes", quotes).exception)


def test_a_caption_file_is_searched_too(tmp_path: Path) -> None:
    captions = tmp_path / "talk.vtt"
    captions.write_text("WEBVTT\n\n00:01.000 --> 00:03.000\nthat is what the old mill was for\n")
    row = json.loads(run(captions, "what the old mill was for", "--json").stdout)
    assert (row["found"], row["exact"]) == (True, False)


def test_a_file_without_words_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "talk.json"
    broken.write_text("{")
    assert isinstance(run(broken, "what the old mill was for").exception, TranscriptError)


def test_neither_or_both_kinds_of_quote_are_bad_usage(transcript: Path) -> None:
    assert isinstance(run(transcript).exception, UsageError)
    assert isinstance(run(transcript, "a quote", "--quotes", transcript).exception, UsageError)
