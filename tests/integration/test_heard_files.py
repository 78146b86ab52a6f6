"""What was heard, kept in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from qandai.adapters.heard_files import HeardFiles
from qandai.errors import DiskFull
from qandai.hearing import Heard, HeardSegment, HeardWord, Sound

RECORDING, KEY = "ab" * 32, "cd" * 16
HEARD = Heard(
    (HeardSegment(0.0, 1.5, "Γεια σου.", -0.25, 0.01, 1.2),),
    (HeardWord("Γεια", 0.1, 0.5), HeardWord("σου", None, None)),
    "el",
)


def test_what_was_kept_comes_back_as_it_was(tmp_path: Path) -> None:
    HeardFiles(tmp_path / "a" / "b").keep(RECORDING, KEY, HEARD)
    again = HeardFiles(tmp_path / "a" / "b")
    assert again.heard(RECORDING, KEY) == HEARD
    assert again.heard(RECORDING, "ef" * 16) is None
    assert again.heard("12" * 32, KEY) is None
    sound = Sound(12.5, ((1.0, 2.0), (3.25, 4.0)))
    again.keep_sound(RECORDING, sound)
    assert again.sound(RECORDING) == sound
    assert again.sound("12" * 32) is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"segments": 1}', b"\xff", b'{"duration": "x"}'])
def test_a_damaged_file_counts_as_never_heard(tmp_path: Path, content: bytes) -> None:
    cache = HeardFiles(tmp_path)
    cache.keep(RECORDING, KEY, HEARD)
    cache.keep_sound(RECORDING, Sound(1.0))
    for path in tmp_path.rglob("*.json"):
        path.write_bytes(content)
    assert cache.heard(RECORDING, KEY) is None
    assert cache.sound(RECORDING) is None
    cache.keep(RECORDING, KEY, HEARD)
    assert cache.heard(RECORDING, KEY) == HEARD


def test_nothing_half_written_is_left_behind(tmp_path: Path) -> None:
    HeardFiles(tmp_path).keep(RECORDING, KEY, HEARD)
    assert [path.suffix for path in tmp_path.rglob("*") if path.is_file()] == [".json"]


def test_what_was_heard_is_forgotten_with_its_video(tmp_path: Path) -> None:
    cache = HeardFiles(tmp_path)
    for recording in (RECORDING, "12" * 32):
        cache.keep(recording, KEY, HEARD)
    cache.name(RECORDING, "talk_1")
    cache.name(RECORDING, "talk_1")
    cache.name("12" * 32, "talk_2")
    assert cache.forget("talk_1")
    assert cache.heard(RECORDING, KEY) is None
    assert cache.heard("12" * 32, KEY) == HEARD
    assert not cache.forget("talk_1")
    assert not cache.forget("-")


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file where the folder should be")
    with pytest.raises(DiskFull, match="store"):
        HeardFiles(tmp_path / "store").keep(RECORDING, KEY, HEARD)
