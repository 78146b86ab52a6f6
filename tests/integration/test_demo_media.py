"""The demo persons' recordings are what their transcripts say, letter by letter and to the hundredth of a second."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scripts.demo.talk import read_talk

ROOT = Path(__file__).parents[2]
PERSONS = [person for person in ("guide", "odigos") if (ROOT / "transcripts" / person).is_dir()]
TRANSCRIPTS = [path for person in PERSONS for path in sorted((ROOT / "transcripts" / person).glob("*.json"))]
RATE = 24_000  # a hiss at the start of "so" lies above 4 kHz


@pytest.fixture(params=TRANSCRIPTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def transcript(request: pytest.FixtureRequest) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(request.param.read_text(encoding="utf-8"))
    assert made["video"]["id"] == request.param.stem
    return made


def words_of(transcript: dict[str, Any]) -> list[dict[str, Any]]:
    return [word for segment in transcript["segments"] for word in segment["words"]]


def decoded(path: Path) -> np.ndarray[Any, np.dtype[np.float32]]:
    if shutil.which("ffmpeg") is None:
        reason = "ffmpeg is missing: apt-get install ffmpeg"
        if os.environ.get("QANDAI_REQUIRE_ALL") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    command = ["ffmpeg", "-v", "error", "-i", str(path), "-ac", "1", "-ar", str(RATE), "-f", "f32le", "-"]
    return np.frombuffer(subprocess.run(command, check=True, capture_output=True).stdout, "<f4")


def test_every_talk_was_spoken_once_and_no_recording_is_left_over() -> None:
    for person in PERSONS:
        talks = {path.stem for path in (ROOT / "scripts" / "talks" / person).glob("*.md")}
        urls = [
            json.loads(path.read_text(encoding="utf-8"))["video"]["url"]
            for path in (ROOT / "transcripts" / person).glob("*.json")
        ]
        assert sorted(urls) == sorted(f"audio/{person}/{talk}.m4a" for talk in talks)
        assert {path.stem for path in (ROOT / "audio" / person).iterdir()} == talks


def test_a_recordings_id_is_the_hash_of_its_content(transcript: dict[str, Any]) -> None:
    content = (ROOT / transcript["video"]["url"]).read_bytes()
    assert transcript["video"]["id"] == hashlib.sha256(content).hexdigest()[:16]


def test_the_transcript_is_the_talk_word_for_word(transcript: dict[str, Any]) -> None:
    person, slug = Path(transcript["video"]["url"]).parent.name, Path(transcript["video"]["url"]).stem
    talk = read_talk(ROOT / "scripts" / "talks" / person / f"{slug}.md")
    assert [segment["text"] for segment in transcript["segments"]] == list(talk.sentences)
    assert " ".join(word["word"] for word in words_of(transcript)) == talk.text
    assert (transcript["video"]["title"], transcript["video"]["published"]) == (talk.title, talk.published)
    assert talk.digest in transcript["provenance"]["origin"], "run: python -m scripts.make_demo"


def test_times_only_go_forward_and_stay_inside_the_recording(transcript: dict[str, Any]) -> None:
    words = words_of(transcript)
    assert words[0]["start"] >= 0
    assert words[-1]["end"] <= transcript["video"]["duration"]
    assert all(word["start"] <= word["end"] for word in words)
    assert all(now["end"] <= after["start"] + 1e-9 for now, after in pairwise(words))
    for segment in transcript["segments"]:
        assert segment["start"] == segment["words"][0]["start"]
        assert "estimated" not in segment["words"][0], "a sentence's first word is measured"


def test_the_share_of_exact_words_is_what_the_words_say(transcript: dict[str, Any]) -> None:
    words = words_of(transcript)
    exact = sum("estimated" not in word for word in words) / len(words)
    print(f"{transcript['video']['url']}: {exact:.1%} of {len(words)} words exact")  # noqa: T201 (the figure itself)
    assert transcript["provenance"]["exact_share"] == pytest.approx(exact, abs=1e-4)
    if transcript["video"]["language"] == "en":
        assert exact > 0.95


def test_a_talk_lasts_two_to_four_minutes(transcript: dict[str, Any]) -> None:
    samples = decoded(ROOT / transcript["video"]["url"])
    assert 115 <= transcript["video"]["duration"] <= 240
    assert len(samples) / RATE == pytest.approx(transcript["video"]["duration"], abs=0.05)


def test_each_sentence_starts_where_the_sound_does(transcript: dict[str, Any]) -> None:
    """Judged on what a player decodes: power in 5 ms steps, above it -45 dBFS is sound, the pause before is not."""
    samples = decoded(ROOT / transcript["video"]["url"])
    hop = RATE // 200
    power = (samples[: len(samples) // hop * hop].reshape(-1, hop).astype(np.float64) ** 2).mean(axis=1)
    sounds = power > 10 ** (-45 / 10)
    errors = []
    for segment in transcript["segments"]:
        pause = int((segment["start"] - 0.2) * RATE / hop)
        assert not sounds[pause : pause + 10].any(), segment["text"]
        errors.append((pause + int(np.argmax(sounds[pause:]))) * hop / RATE - segment["start"])
    worst = max(map(abs, errors))
    print(f"{transcript['video']['url']}: largest error of a start {worst:.4f} s")  # noqa: T201 (the figure itself)
    assert worst <= 0.02


def test_the_recordings_are_small_and_carry_their_licence() -> None:
    sizes = [path.stat().st_size for path in (ROOT / "audio").rglob("*.m4a")]
    assert sum(sizes) < 10_000_000
    for folder in ("audio", "transcripts"):
        licence = (ROOT / folder / "LICENSE").read_text(encoding="utf-8")
        assert re.search(r"CC BY 4\.0", licence)
        assert "synthetic" in licence
