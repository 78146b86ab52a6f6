"""Speech to text as the pipeline asks for it, and what it would cost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from qandai.errors import Throttled
from qandai.hearing import Heard, HeardSegment, HeardWord, Sound, TranscriberLimits
from qandai.ingest.transcribe.cost import cost
from qandai.ingest.transcribe.recordings import transcribe_with
from qandai.ingest.transcribe.story import Scribe
from qandai.model import Person, Video
from tests.fakes import ListeningTranscriber, MemoryHeard, PlannedAudio

NOON = datetime(2026, 3, 3, 12, tzinfo=UTC)
GROQ = TranscriberLimits(price_an_hour=0.111, least_billed=10.0)


def hear(start: float, end: float) -> Heard:
    if start > 0:
        raise Throttled("limit", wait=7200.0)
    words = tuple(HeardWord(f"w{n}", n / 2, n / 2 + 0.4) for n in range(1200))
    return Heard((HeardSegment(0.0, 600.0, " ".join(word.text for word in words)),), words)


def test_what_may_succeed_later_says_when() -> None:
    transcriber = ListeningTranscriber(hear)
    scribe = Scribe(transcriber, PlannedAudio(Sound(1200.0, ((599.0, 601.0),))), MemoryHeard())
    person = Person("ann", "Ann", language="el", vocabulary=("Tor",))
    heard = transcribe_with(scribe, now=lambda: NOON)(Path("a.mp3"), Video("a1", "A"), person)
    assert heard.rest is not None
    assert heard.rest.until is not None
    assert timedelta(hours=1, minutes=59) < heard.rest.until - NOON <= timedelta(hours=2)
    assert "10 minutes are not transcribed yet" in heard.rest.reason
    assert heard.transcript.video.duration == 1200.0
    assert heard.transcript.provenance.fetched_at == "2026-03-03T12:00:00+00:00"
    assert transcriber.asked[0][2:] == ("el", "Tor")


def test_a_dry_run_tells_minutes_and_price() -> None:
    assert str(cost([3600.0, 1800.0, None], GROQ)) == "3 recordings, 90 min, about $0.17, 1 of unknown length"
    assert cost([3600.0], GROQ).price == 0.111
    assert cost([1.0] * 360, GROQ).price == 0.111  # ten seconds are billed for each
    assert str(cost([60.0], TranscriberLimits())) == "1 recording, 1 min, free"
    assert str(cost([11.0, 20.0], TranscriberLimits())) == "2 recordings, 0.5 min, free"
    assert "price unknown" in str(cost([60.0], TranscriberLimits(price_an_hour=None)))
