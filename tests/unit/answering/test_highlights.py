from __future__ import annotations

from qandai.answering.highlights import highlights
from qandai.model import Clip, Quote, Video
from tests.build import row


def clip(video: str, start: float, end: float) -> Clip:
    said = row("so I sold it", video=Video(video, "A talk", "audio", "a.m4a"), at=start)
    return Clip(Quote(said.whole()), start, end, exact=True)


def shown(*clips: Clip, count: int = 5) -> list[str]:
    return [f"{one.video.id}@{one.start:.0f}" for one in highlights(clips, count=count)]


def test_each_recording_gives_its_best_before_any_gives_its_second() -> None:
    assert shown(clip("a", 0, 5), clip("a", 20, 25), clip("b", 0, 5), clip("c", 0, 5)) == ["a@0", "b@0", "c@0", "a@20"]


def test_nothing_is_played_twice() -> None:
    assert shown(clip("a", 0, 10), clip("a", 5, 15), clip("a", 10, 20)) == ["a@0", "a@10"]


def test_there_are_at_most_five() -> None:
    assert len(highlights([clip(f"talk{number}", 0, 5) for number in range(9)])) == 5
    assert shown(clip("a", 0, 5), clip("b", 0, 5), count=1) == ["a@0"]
    assert shown() == []
