"""Caption files kept under tests/recorded, named for the event."""

from __future__ import annotations

from pathlib import Path

from qandai.ingest.captions import parse

RECORDED = Path(__file__).parents[1] / "recorded"


def test_a_whole_rolling_track_says_each_word_once_with_its_own_time() -> None:
    parsed = parse((RECORDED / "captions_auto_rolling.vtt").read_bytes())
    assert [(word.text, word.start) for word in parsed.words] == [
        ("the", 0.16),
        ("first", 0.48),
        ("line", 0.9),
        ("no", 3.44),
        ("no", 3.9),
        ("no", 4.2),
        ("okay", 5.71),
        ("and", 9.01),
        ("so", 9.5),
        ("on", 10.1),
    ]
    assert all(word.exact for word in parsed.words)
    assert [word.text for word in parsed.words if word.turn] == ["and"]
    assert (parsed.captions, parsed.language, dict(parsed.repairs)) == ("auto", "en", {})
