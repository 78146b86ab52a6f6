from __future__ import annotations

from qandai.leaving import Leaving


def test_what_is_under_way_ends_when_they_go_and_what_comes_later_at_once() -> None:
    leaving = Leaving()
    ended: list[str] = []
    leaving.then(lambda: ended.append("before"))
    assert ended == []
    leaving.go()
    leaving.then(lambda: ended.append("after"))
    leaving.go()
    assert ended == ["before", "after"]
