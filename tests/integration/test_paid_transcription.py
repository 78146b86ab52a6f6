"""A recording sent to a transcription service, piece by piece: what goes over the wire, and what a bad day costs."""

from __future__ import annotations

import subprocess
import wave
from collections import Counter
from pathlib import Path
from threading import Lock

import httpx
import numpy as np
import pytest

from qandai.adapters.ffmpeg import Ffmpeg
from qandai.adapters.heard_files import HeardFiles
from qandai.adapters.speech_api import SpeechApi
from qandai.hearing import TranscriberLimits
from qandai.ingest.transcribe.asking import Asker
from qandai.ingest.transcribe.speech import Speech
from qandai.ingest.transcribe.story import Scribe
from tests import needs

RATE, SECONDS, EACH = 16_000, 180.0, 0.5


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three minutes of a hum that rises by a hertz each half second: where a piece begins can be heard in it."""
    needs.program("ffmpeg", "apt-get install ffmpeg")
    at = np.arange(int(SECONDS * RATE)) / RATE
    pitch = 300.0 + np.floor(at / EACH)
    samples = 0.3 * np.sin(2 * np.pi * np.cumsum(pitch) / RATE)
    path = tmp_path_factory.mktemp("recording") / "hum.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((samples * 32767).astype("<i2").tobytes())
    return path


class Service:
    """Hears a word for each half second, by its pitch. `fails` says, by the number of the request, what goes wrong."""

    def __init__(self, fails: dict[int, httpx.Response] | None = None, *, most_bytes: int = 10**9) -> None:
        self._fails = fails or {}
        self._most = most_bytes
        self._lock = Lock()
        self.sizes: list[int] = []
        self.statuses: Counter[int] = Counter()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = request.read()
        with self._lock:
            number = len(self.sizes)
            self.sizes.append(len(body))
        answer = self._fails.get(number)
        if answer is None:
            answer = httpx.Response(413) if len(body) > self._most else httpx.Response(200, json=self._heard(body))
        self.statuses[answer.status_code] += 1
        return answer

    def _heard(self, body: bytes) -> dict[str, object]:
        head, _, rest = body.partition(b'filename="')[2].partition(b"\r\n\r\n")
        assert head.startswith((b"piece.flac", b"piece.ogg"))
        command = ["ffmpeg", "-v", "error", "-i", "pipe:0", "-f", "f32le", "-ar", str(RATE), "pipe:1"]
        raw = subprocess.run(command, input=rest, capture_output=True, check=True).stdout
        samples = np.frombuffer(raw, "<f4")
        words = []
        first = self._number(samples[: RATE // 4])
        offset = 0.0 if self._number(samples[RATE // 4 : RATE // 2]) == first else EACH / 2
        for n in range(int(len(samples) / RATE / EACH)):
            start = n * EACH - offset
            if start >= 0:
                words.append({"word": f"w{first + n}", "start": start, "end": start + 0.4})
        text = " ".join(str(word["word"]) for word in words)
        return {"segments": [{"start": 0.0, "end": len(samples) / RATE, "text": text}], "words": words}

    @staticmethod
    def _number(samples: np.ndarray) -> int:
        """Which half second it is, by the number of waves."""
        crossings = np.count_nonzero(np.diff(np.signbit(samples)))
        return round(crossings / 2 / (len(samples) / RATE) - 300)


def transcribe(
    service: Service, recording: Path, folder: Path, *, max_bytes: int = 25_000_000
) -> tuple[Speech, list[float]]:
    slept: list[float] = []
    limits = TranscriberLimits(max_bytes=max_bytes, parallel=3)
    api = SpeechApi(
        name="Groq",
        base_url="https://api.test/v1",
        model="m",
        key="k",
        limits=limits,
        transport=httpx.MockTransport(service),
    )
    audio, cache = Ffmpeg(), HeardFiles(folder / "heard")
    clock = [0.0]

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        clock[0] += seconds

    asker = Asker(api, audio, cache, clock=lambda: clock[0], sleep=sleep)
    speech = Scribe(api, audio, cache, asker=asker, seconds=60.0).transcribe(recording, language="en")
    api.close()
    return speech, slept


def test_a_recording_is_sent_in_pieces_and_comes_back_whole(recording: Path, tmp_path: Path) -> None:
    service = Service()
    speech, _ = transcribe(service, recording, tmp_path)
    assert service.statuses == {200: 3}
    starts = [word.start for word in speech.words]
    assert starts == sorted(starts)
    assert len(speech.words) == pytest.approx(SECONDS / EACH, abs=8)
    assert speech.failures == ()


def test_compressed_pieces_keep_a_small_limit(recording: Path, tmp_path: Path) -> None:
    service = Service(most_bytes=500_000)
    speech, _ = transcribe(service, recording, tmp_path, max_bytes=500_000)
    assert service.statuses[413] == 0
    assert max(service.sizes) < 500_000
    assert len(speech.words) == pytest.approx(SECONDS / EACH, abs=8)


def test_a_limit_lower_than_told_is_met_by_halving(recording: Path, tmp_path: Path) -> None:
    whole = Service()
    transcribe(whole, recording, tmp_path / "whole")
    service = Service(most_bytes=int(0.8 * min(whole.sizes)))
    speech, _ = transcribe(service, recording, tmp_path)
    assert service.statuses[413] == 3
    assert speech.failures == ()
    assert len(speech.words) == pytest.approx(SECONDS / EACH, abs=10)


def test_a_bad_day_costs_only_what_failed(recording: Path, tmp_path: Path) -> None:
    slow = httpx.Response(429, headers={"retry-after": "61"}, json={"error": {"message": "slow down"}})
    refused = httpx.Response(400, json={"error": {"message": "not a media file"}})
    service = Service({0: slow, 1: httpx.Response(503), 2: refused})
    speech, slept = transcribe(service, recording, tmp_path)
    assert service.statuses == {429: 1, 503: 1, 400: 1, 200: 2}
    assert sum(slept) >= 61.0
    assert len(speech.failures) == 1
    assert [gap.reason for gap in speech.gaps] == ["untranscribed"]
    again = Service()
    speech, _ = transcribe(again, recording, tmp_path)
    assert again.statuses == {200: 1}  # paid for: the failed piece, and nothing else
    assert speech.failures == speech.gaps == ()
