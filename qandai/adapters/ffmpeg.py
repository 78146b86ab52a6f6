"""Recordings through ffmpeg: silences, cuts. Only pieces are ever held in memory."""

from __future__ import annotations

import hashlib
import math
import re
import shutil
import subprocess
import tempfile
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from qandai.errors import DiskFull, ProviderError, ToolMissing, TranscriptError
from qandai.hearing import AudioFormat, Sound

NOISE_DB = -35.0
"""Below this for 0.4 seconds is a silence, in a recording of ordinary level."""

_BELOW = 8.0  # dB between the mean of a recording and what is silent in it; faint ones are judged more finely
_FAINTEST_DB = -60.0
_SHORTEST_SILENCE = 0.4
_SPLIT = 0.1  # seconds of noise between two silences that do not part them
_QUIET_WINDOW = 0.3
_CODECS: dict[AudioFormat, tuple[str, ...]] = {
    "flac": ("-c:a", "flac", "-sample_fmt", "s16"),
    "opus": ("-c:a", "libopus", "-b:a", "32k", "-application", "voip"),
}
_SUFFIX: dict[AudioFormat, str] = {"flac": "flac", "opus": "ogg"}
# Containers of sound. Playlists and scripts, which make ffmpeg open other files, are none.
_CONTAINERS = "aac,ac3,aiff,amr,asf,avi,caf,flac,flv,matroska,mov,mp3,mpeg,mpegts,ogg,wav,w64,webm,wv"
_STDERR = re.compile(r"silence_(start|end): (-?[\d.]+)|mean_volume: (-?[\d.]+|-inf) dB|out_time_us=(\d+)")


class Ffmpeg:
    """`program` is the ffmpeg to run. Threads share it."""

    def __init__(self, program: str = "ffmpeg") -> None:
        self._program = program

    def digest(self, recording: Path) -> str:
        if not recording.is_file():
            raise TranscriptError(f"{recording.name} is not there.")
        with recording.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def listen(self, recording: Path) -> Sound:
        """One pass through the recording; another one if it turns out to be faint."""
        sound, mean = self._silences(recording, NOISE_DB)
        if sound.duration <= 0:
            raise TranscriptError(f"{recording.name} holds no sound.")
        if mean > NOISE_DB + _BELOW or math.isinf(mean):
            return sound
        return self._silences(recording, max(_FAINTEST_DB, math.floor(mean - _BELOW)))[0]

    def quietest(self, recording: Path, start: float, end: float) -> float:
        """The middle of the softest third of a second. Falls back on the middle of the stretch without pydub."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of pydub's import: audioop is deprecated, old escapes
                from pydub import AudioSegment
        except ImportError:
            return (start + end) / 2
        raw = self._run(
            recording, ["-f", "s16le", "pipe:1"], before=_from_to(start, end), timeout=120 + (end - start), binary=True
        )
        piece = AudioSegment(data=raw[: len(raw) // 2 * 2], sample_width=2, frame_rate=16_000, channels=1)
        step, width = 50, int(_QUIET_WINDOW * 1000)
        moments = range(0, max(1, len(piece) - width), step)
        softest = min(moments, key=lambda at: (piece[at : at + width].rms, abs(at + width / 2 - len(piece) / 2)))
        return start + (softest + width / 2) / 1000

    @contextmanager
    def cut(self, recording: Path, start: float, end: float, form: AudioFormat) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="qandai-piece-") as folder:
            piece = Path(folder).resolve() / f"{start:.3f}-{end:.3f}.{_SUFFIX[form]}"
            target = [*_CODECS[form], "-map_metadata", "-1", "-y", str(piece)]
            self._run(recording, target, before=_from_to(start, end), timeout=600 + (end - start))
            if not piece.is_file() or piece.stat().st_size == 0:
                raise TranscriptError(f"{recording.name} cannot be decoded from second {start:.0f} on.")
            yield piece

    def _silences(self, recording: Path, level: float) -> tuple[Sound, float]:
        """Silences below `level`, and the mean volume in dB."""
        listening = f"silencedetect=noise={level:g}dB:d={_SHORTEST_SILENCE},volumedetect"
        command = self._command(recording, ["-f", "null", "-progress", "pipe:2", "-"], filters=listening)
        starts: list[float] = []
        ends: list[float] = []
        duration, mean = 0.0, -math.inf
        last: deque[str] = deque(maxlen=5)
        with subprocess.Popen(  # noqa: S603 # a fixed program, a path that cannot be an option
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        ) as running:
            assert running.stderr is not None
            for line in running.stderr:  # read as it comes: hours of speech have thousands of silences
                last.append(line)
                for edge, at, volume, microseconds in _STDERR.findall(line):
                    if edge:
                        (starts if edge == "start" else ends).append(max(0.0, float(at)))
                    elif volume:
                        mean = float(volume)
                    elif microseconds:
                        duration = int(microseconds) / 1e6
        if running.returncode != 0 and duration <= 0:
            self._fail(recording, "".join(last))
        ends = [min(end, duration) for end in ends]
        if len(starts) > len(ends):
            ends.append(duration)
        return Sound(round(duration, 3), _apart(list(zip(starts, ends, strict=False)))), mean

    def _command(
        self, recording: Path, target: Sequence[str], *, filters: str | None = None, before: Sequence[str] = ()
    ) -> list[str]:
        program = shutil.which(self._program)
        if program is None:
            raise ToolMissing(
                "ffmpeg is not installed.", hint="Debian: apt-get install ffmpeg. macOS: brew install ffmpeg."
            )
        if not recording.is_file():
            raise TranscriptError(f"{recording.name} is not there.")
        command = [program, "-hide_banner", "-nostdin", "-nostats", "-threads", "1"]
        command += ["-protocol_whitelist", "file,pipe", "-format_whitelist", _CONTAINERS, *before]
        command += ["-i", str(recording.resolve()), "-map", "0:a:0", "-vn", "-sn", "-dn"]
        mono = "aresample=16000,aformat=channel_layouts=mono"
        return [*command, "-af", f"{mono},{filters}" if filters else mono, "-ar", "16000", "-ac", "1", *target]

    def _run(
        self, recording: Path, target: Sequence[str], *, before: Sequence[str], timeout: float, binary: bool = False
    ) -> bytes:
        command = self._command(recording, target, before=before)
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False)  # noqa: S603
        except subprocess.TimeoutExpired as exc:
            raise ProviderError(f"ffmpeg did not finish with {recording.name} in {timeout:.0f} seconds.") from exc
        if done.returncode != 0:
            self._fail(recording, done.stderr.decode(errors="replace"))
        return done.stdout if binary else b""

    def _fail(self, recording: Path, said: str) -> None:
        if "No space left" in said:
            raise DiskFull(
                "no room on the disk for the pieces of a recording.", hint="Free some space in the temporary folder."
            )
        lines = [line.strip() for line in said.splitlines() if line.strip() and "=" not in line]
        reason = lines[-1].replace(str(recording.resolve()), recording.name)[:200] if lines else "no reason given"
        raise TranscriptError(
            f"{recording.name} is no recording that ffmpeg can read ({reason}).",
            hint="Play the file, or save it again.",
        )


def _from_to(start: float, end: float) -> tuple[str, ...]:
    """Before the input: fast, and exact to the sample, because what is cut is decoded."""
    return ("-ss", f"{start:.3f}", "-t", f"{end - start:.3f}")


def _apart(silences: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Ascending; a click does not part two silences."""
    found: list[tuple[float, float]] = []
    for start, end in silences:
        if end <= start:
            continue
        if found and start - found[-1][1] < _SPLIT:
            found[-1] = (found[-1][0], round(end, 3))
        else:
            found.append((round(start, 3), round(end, 3)))
    return tuple(found)
