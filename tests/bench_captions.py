"""`python -m tests.bench_captions`: how fast captions are read and merged on this machine, in processor time.

Real files where QANDAI_SHARED_DATA has them, else captions of ours. Promised: json3 at 15 MB/s, two tracks of 10,000
words merged in 2 s, 99 % of the words within 0.05 s of where they were.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from qandai.ingest.captions import parse
from qandai.ingest.duplicates import duplicates, print_of
from qandai.ingest.merge import merged
from qandai.model import Transcript, Video, Word
from tests.degrade import kept, typed
from tests.youtube_site import automatic, speech

WORDS = 10_000
ROUNDS = 5


def files() -> dict[str, bytes]:
    """Automatic json3 tracks by name."""
    folder = Path(os.environ.get("QANDAI_SHARED_DATA") or "../shared/data") / "json3"
    found = {path.name: path.read_bytes() for path in sorted(folder.glob("*.json3")) if path.stat().st_size > 100_000}
    return found or {"ours": automatic(speech(1, WORDS))}


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def main() -> None:
    tracks = files()
    seconds = []
    for _ in range(ROUNDS):
        began = time.process_time()
        parsed = {name: parse(content) for name, content in tracks.items()}
        seconds.append(time.process_time() - began)
    size = sum(map(len, tracks.values())) / 1e6
    say(f"json3: {size:.1f} MB in {min(seconds):.2f} s, {size / min(seconds):.1f} MB/s ({len(tracks)} files)")
    words = tuple(word for one in parsed.values() for word in one.words)
    longest = max((one.words for one in parsed.values()), key=len)
    heard = Transcript(Video("v", "A talk"), _long(longest), segments=(0,))
    pair = typed(heard, seed=1)
    took = []
    for _ in range(ROUNDS):
        began = time.process_time()
        result = merged(pair.heard, pair.written)
        took.append(time.process_time() - began)
    lengths = f"{len(pair.heard.words)} and {len(pair.written.words)} words"
    say(f"merge: {lengths} in {statistics.median(took):.2f} s, agreement {result.agreement:.3f}")
    for name, one in parsed.items():
        if one.captions == "auto":
            pair = typed(Transcript(Video("v", name), one.words, segments=one.segments), seed=2)
            share = kept(pair, merged(pair.heard, pair.written).transcript)
            say(f"  {name}: {share:.2%} of the words within 0.05 s")
    prints = [print_of(Transcript(Video(name, name), one.words)) for name, one in parsed.items()]
    began = time.process_time()
    copies = duplicates(prints)
    took_copies = time.process_time() - began
    say(f"copies among {len(prints)} recordings of {len(words)} words: {len(copies)}, {took_copies:.3f} s")


def _long(words: Sequence[Word]) -> tuple[Word, ...]:
    """Said again and again until there are WORDS of them."""
    length = words[-1].end + 1
    times = -(-WORDS // len(words))
    found = [
        replace(word, start=word.start + n * length, end=word.end + n * length) for n in range(times) for word in words
    ]
    return tuple(found[:WORDS])


if __name__ == "__main__":
    main()
