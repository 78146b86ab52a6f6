"""Real automatic captions, and what somebody might have typed for them: the times stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from qandai.ingest.captions import parse
from qandai.ingest.merge import merged
from qandai.model import Transcript, Video
from tests import needs
from tests.degrade import kept, typed

LONG = 100_000  # bytes of a track that is no excerpt

pytestmark = pytest.mark.shared


def tracks() -> list[Path]:
    return [path for path in sorted(needs.shared("json3").glob("*.json3")) if path.stat().st_size > LONG]


@pytest.mark.parametrize("delay", [0.4, 1.5, -20.0], ids=["a little late", "late", "another cut's clock"])
def test_of_the_words_99_in_100_keep_their_time(delay: float) -> None:
    measured = 0
    for path in tracks():
        parsed = parse(path.read_bytes())
        if parsed.captions != "auto":
            continue
        pair = typed(Transcript(Video("v", path.name), parsed.words, segments=parsed.segments), seed=3, delay=delay)
        result = merged(pair.heard, pair.written)
        assert result.agreement > 0.85, path.name
        assert kept(pair, result.transcript) >= 0.99, path.name
        starts = [word.start for word in result.transcript.words]
        assert starts == sorted(starts)
        measured += 1
    assert measured


def test_captions_of_another_recording_are_set_aside() -> None:
    one, other = (parse(path.read_bytes()) for path in tracks()[:2])
    video = Video("v", "A talk")
    result = merged(Transcript(video, one.words, segments=one.segments), Transcript(video, other.words))
    assert result.agreement < 0.4
    assert result.note
    assert result.transcript.words == one.words
