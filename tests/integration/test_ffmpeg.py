"""Recordings through the real ffmpeg: where it cuts, what it calls silent, what it refuses."""

from __future__ import annotations

import subprocess
import wave
from pathlib import Path

import numpy as np
import pytest

from qandai.adapters.ffmpeg import Ffmpeg
from qandai.errors import ToolMissing, TranscriptError
from qandai.ingest.transcribe.plan import BYTES_A_SECOND
from tests import needs


@pytest.fixture(autouse=True, scope="module")
def _ffmpeg() -> None:
    needs.program("ffmpeg", "apt-get install ffmpeg")


RATE = 44_100
CLICKS = (3.0, 10.5, 20.25, 27.75)
SECONDS = 30.0


def write(path: Path, samples: np.ndarray, rate: int = RATE) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
    return path


def tone(seconds: float, level: float, rate: int = RATE) -> np.ndarray:
    """A hum with harmonics, in which a sharp sound can be found again after any codec."""
    at = np.arange(int(seconds * rate)) / rate
    return level * (np.sin(2 * np.pi * 180 * at) + 0.5 * np.sin(2 * np.pi * 540 * at))


@pytest.fixture(scope="module")
def clicks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Quiet hum with a burst of noise at each of CLICKS."""
    samples = tone(SECONDS, 0.01)
    noise = np.random.default_rng(1).uniform(-0.8, 0.8, int(0.03 * RATE))
    for at in CLICKS:
        samples[int(at * RATE) : int(at * RATE) + len(noise)] += noise
    return write(tmp_path_factory.mktemp("clicks") / "clicks.wav", samples)


def encoded(source: Path, name: str, *options: str) -> Path:
    target = source.with_name(name)
    command = ["ffmpeg", "-v", "error", "-y", "-i", str(source), *options, str(target)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return target


def bursts(piece: Path) -> list[float]:
    """Seconds at which the sound jumps up."""
    command = ["ffmpeg", "-v", "error", "-i", str(piece), "-f", "f32le", "-ar", "16000", "-ac", "1", "-"]
    samples = np.frombuffer(subprocess.run(command, check=True, capture_output=True).stdout, "<f4")
    loud = np.flatnonzero(np.abs(samples) > 0.2) / 16_000
    return [float(at) for number, at in enumerate(loud) if number == 0 or at - loud[number - 1] > 1.0]


ENCODINGS = {
    "clicks.flac": ("-c:a", "flac"),
    "constant.mp3": ("-c:a", "libmp3lame", "-b:a", "64k"),
    "variable.mp3": ("-c:a", "libmp3lame", "-q:a", "4"),
    "headless.mp3": ("-c:a", "libmp3lame", "-q:a", "4", "-write_xing", "0"),
    "clicks.m4a": ("-c:a", "aac", "-b:a", "64k"),
    "raw.aac": ("-c:a", "aac", "-b:a", "64k", "-f", "adts"),
    "clicks.ogg": ("-c:a", "libopus", "-b:a", "48k"),
    "clicks.webm": ("-c:a", "libopus", "-b:a", "48k"),
}


@pytest.mark.parametrize("name", ["clicks.wav", *ENCODINGS])
def test_a_piece_begins_at_the_second_that_was_asked_for(clicks: Path, name: str) -> None:
    recording = clicks if name == "clicks.wav" else encoded(clicks, name, *ENCODINGS[name])
    start, end = 7.123, 28.5
    # What ffmpeg itself decodes from the beginning is the clock: an encoder's own delay is in it.
    expected = [at - start for at in bursts(recording) if start < at < end]
    with Ffmpeg().cut(recording, start, end, "flac") as piece:
        found = bursts(piece)
    assert found == pytest.approx(expected, abs=0.012)
    assert len(found) == 3
    assert not piece.exists()


def test_a_compressed_piece_begins_there_too_and_is_small(clicks: Path) -> None:
    with Ffmpeg().cut(clicks, 7.123, 28.5, "opus") as piece:
        assert bursts(piece) == pytest.approx([at - 7.123 for at in CLICKS[1:]], abs=0.012)
        assert piece.stat().st_size < 21.4 * BYTES_A_SECOND["opus"]


def test_silences_and_length_are_found(tmp_path: Path) -> None:
    speech = tone(4.0, 0.2)
    parts = [speech, np.zeros(RATE), speech, np.zeros(int(0.3 * RATE)), speech, np.zeros(2 * RATE)]
    sound = Ffmpeg().listen(write(tmp_path / "a.wav", np.concatenate(parts)))
    assert sound.duration == pytest.approx(15.3, abs=0.01)
    assert np.allclose(sound.silences, ((4.0, 5.0), (13.3, 15.3)), atol=0.02)


def test_a_faint_recording_has_its_own_silences(tmp_path: Path) -> None:
    faint = tone(4.0, 0.004)  # below the level at which others are silent
    sound = Ffmpeg().listen(write(tmp_path / "a.wav", np.concatenate([faint, np.zeros(RATE), faint])))
    assert np.allclose(sound.silences, ((4.0, 5.0),), atol=0.05)


def test_the_quietest_moment_is_found_where_nothing_is_silent(tmp_path: Path) -> None:
    pytest.importorskip("pydub", reason="pydub is in the extra ingest")
    samples = np.concatenate([tone(20.0, 0.3), tone(0.5, 0.05), tone(20.0, 0.3)])
    recording = write(tmp_path / "a.wav", samples)
    assert Ffmpeg().listen(recording).silences == ()
    assert Ffmpeg().quietest(recording, 5.0, 35.0) == pytest.approx(20.25, abs=0.15)


def test_stereo_and_video_give_their_first_sound_track(tmp_path: Path) -> None:
    source = write(tmp_path / "a.wav", tone(3.0, 0.3))
    film = encoded(source, "film.mkv", "-f", "lavfi", "-i", "color=size=64x64:duration=3", "-ac", "2", "-c:v", "mpeg4")
    with Ffmpeg().cut(film, 0.5, 2.5, "flac") as piece:
        command = [
            "ffprobe",
            "-v",
            "error",
            "-show_entries",
            "stream=channels,sample_rate",
            "-of",
            "csv=p=0",
            str(piece),
        ]
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() == ["16000,1"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.mp3", b""),
        ("text.mp3", b"these are words and no sound\n" * 100),
        ("list.m3u8", b"#EXTM3U\n#EXTINF:10,\n/etc/passwd\n#EXT-X-ENDLIST\n"),
        ("playlist.wav", b"#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n"),
        ("concat.txt", b"ffconcat version 1.0\nfile /etc/passwd\n"),
    ],
)
def test_what_is_no_recording_is_refused_by_name(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(TranscriptError, match=name) as refused:
        Ffmpeg().listen(path)
    assert str(tmp_path) not in str(refused.value)
    with pytest.raises(TranscriptError), Ffmpeg().cut(path, 0.0, 1.0, "flac"):
        pass


def test_a_picture_is_no_recording(tmp_path: Path) -> None:
    picture = tmp_path / "a.mkv"
    command = [
        "ffmpeg",
        "-v",
        "error",
        "-f",
        "lavfi",
        "-i",
        "color=size=64x64:duration=1",
        "-c:v",
        "mpeg4",
        str(picture),
    ]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    with pytest.raises(TranscriptError, match=r"a\.mkv"):
        Ffmpeg().listen(picture)


def test_a_recording_that_breaks_off_is_heard_as_far_as_it_goes(clicks: Path, tmp_path: Path) -> None:
    whole = encoded(clicks, "whole.mp3", "-c:a", "libmp3lame", "-b:a", "64k").read_bytes()
    cut = tmp_path / "cut.mp3"
    cut.write_bytes(whole[: len(whole) // 2] + b"\0\xff" * 50)
    assert Ffmpeg().listen(cut).duration == pytest.approx(15.0, abs=0.5)


@pytest.mark.parametrize("name", ["-i.wav", "a b'c;$(x).wav", "ομιλία.wav", "concat:a|b.wav", "%d.wav"])
def test_file_names_are_only_names(tmp_path: Path, name: str) -> None:
    recording = write(tmp_path / name, tone(2.0, 0.3))
    assert Ffmpeg().listen(recording).duration == pytest.approx(2.0, abs=0.01)
    with Ffmpeg().cut(recording, 0.5, 1.5, "flac") as piece:
        assert piece.stat().st_size > 100


def test_without_ffmpeg_the_remedy_is_named(tmp_path: Path) -> None:
    recording = write(tmp_path / "a.wav", tone(1.0, 0.3))
    with pytest.raises(ToolMissing, match="apt-get install ffmpeg"):
        Ffmpeg("no-such-program").listen(recording)


def test_a_recording_is_known_by_its_content(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a.wav", tone(1.0, 0.3)), write(tmp_path / "b.wav", tone(1.0, 0.3))
    assert Ffmpeg().digest(first) == Ffmpeg().digest(second)
    with pytest.raises(TranscriptError, match="not there"):
        Ffmpeg().digest(tmp_path / "c.wav")
