"""`python -m tests.bench_ingest [--hours 3]`: what cutting a long recording costs, in memory and time.

The recording is made by repeating one of the demo's; nobody listens to it: each piece is answered at once by words at
an ordinary rate, so that what is measured is ours and ffmpeg's.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from qandai.adapters.ffmpeg import Ffmpeg
from qandai.adapters.heard_files import HeardFiles
from qandai.hearing import Heard, HeardSegment, HeardWord, TranscriberLimits
from qandai.ingest.transcribe.story import Scribe

ROOT = Path(__file__).parents[1]
_EACH = 0.4  # seconds a word
_SEGMENT = 12  # words


class Chatter:
    """Hears a word each 0.4 seconds of whatever piece. Notes the largest one."""

    model = "chatter"
    limits = TranscriberLimits(max_bytes=25_000_000, parallel=2)

    def __init__(self) -> None:
        self.pieces = 0
        self.largest = 0

    def transcribe(self, piece: Path, *, language: str | None, prompt: str) -> Heard:
        start, end = map(float, piece.stem.split("-"))
        self.pieces += 1
        self.largest = max(self.largest, piece.stat().st_size)
        words = tuple(
            HeardWord(f"word{at}", at * _EACH, at * _EACH + 0.3) for at in range(int((end - start - 1) / _EACH))
        )
        segments = tuple(
            HeardSegment(at * _EACH, (at + _SEGMENT) * _EACH, " ".join(word.text for word in words[at : at + _SEGMENT]))
            for at in range(0, len(words), _SEGMENT)
        )
        return Heard(segments, words)


@dataclass(frozen=True, slots=True)
class Figures:
    """Megabytes are peaks: of this process, and of the largest ffmpeg that it ran."""

    hours: float
    pieces: int
    seconds: float
    ours_mb: float
    ffmpeg_mb: float
    largest_piece_mb: float


def repeated(folder: Path, hours: float) -> Path:
    """A recording of about so many hours, in the codec of the demo's."""
    source = next((ROOT / "audio" / "guide").glob("*.m4a"))
    length = Ffmpeg().listen(source).duration
    target = folder / f"{hours:g}.m4a"
    command = ["ffmpeg", "-v", "error", "-stream_loop", str(round(hours * 3600 / length) - 1), "-i", str(source)]
    subprocess.run([*command, "-c", "copy", str(target)], check=True, stdin=subprocess.DEVNULL)
    return target


def measure(recording: Path, folder: Path) -> Figures:
    chatter = Chatter()
    begun = time.perf_counter()
    speech = Scribe(chatter, Ffmpeg(), HeardFiles(folder / "heard")).transcribe(recording, language="en")
    return Figures(
        hours=round(speech.duration / 3600, 2),
        pieces=chatter.pieces,
        seconds=round(time.perf_counter() - begun, 1),
        ours_mb=round(_peak_mb(resource.RUSAGE_SELF), 1),
        ffmpeg_mb=round(_peak_mb(resource.RUSAGE_CHILDREN), 1),
        largest_piece_mb=round(chatter.largest / 1e6, 1),
    )


def _peak_mb(who: int) -> float:
    """So far: peaks never fall, so the short recording is measured first."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(who).ru_maxrss * unit / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=3.0)
    given = parser.parse_args()
    if shutil.which("ffmpeg") is None:
        print("skipped: ffmpeg is missing (apt-get install ffmpeg)")  # noqa: T201 # a bench prints
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for hours in (0.2, given.hours):
            found = measure(repeated(folder, hours), folder)
            print(  # noqa: T201 # a bench prints
                f"cutting {found.hours:g} h into {found.pieces} pieces: {found.seconds:.0f} s, peak memory "
                f"{found.ours_mb:.0f} MB here and {found.ffmpeg_mb:.0f} MB in ffmpeg, "
                f"largest piece {found.largest_piece_mb:.1f} MB"
            )


if __name__ == "__main__":
    main()
