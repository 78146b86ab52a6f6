"""The folder of a collection: pointer, lock, room on the disk, and what is swept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from qandai.adapters.generations import GRACE, Generations
from qandai.adapters.writers import Holder
from qandai.errors import DiskFull, StoreBroken, StoreLocked

START = datetime(2026, 5, 1, 12, tzinfo=UTC)


class Clock:
    now = START

    def __call__(self) -> datetime:
        return self.now


def write(generations: Generations, text: str) -> str:
    part = generations.begin(generations.current())
    (part / "file").write_text(text)
    name = generations.publish(part, passages=1, deleted=0).generation
    generations.sweep()
    return name


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def generations(tmp_path: Path, clock: Clock) -> Generations:
    (tmp_path / "ann").mkdir()
    return Generations(tmp_path / "ann", now=clock)


def folders(generations: Generations) -> set[str]:
    return {path.name for path in generations.folder.iterdir() if path.is_dir()}


def test_before_the_first_generation_there_is_none(generations: Generations) -> None:
    assert (generations.current(), generations.signature()) == (None, None)


def test_a_pointer_that_moves_shows(generations: Generations) -> None:
    first = write(generations, "one")
    seen = generations.signature()
    second = write(generations, "two")
    assert generations.signature() != seen
    pointer = generations.current()
    assert pointer is not None
    assert (pointer.generation, pointer.previous, pointer.number) == (second, first, 2)


def test_two_generations_are_kept(generations: Generations, clock: Clock) -> None:
    names = []
    for number in range(5):
        names.append(write(generations, str(number)))
        clock.now += timedelta(hours=1)
    assert folders(generations) == set(names[-2:])


def test_a_generation_that_was_left_a_moment_ago_may_still_be_opening_somewhere(
    generations: Generations, clock: Clock
) -> None:
    names = [write(generations, "one"), write(generations, "two"), write(generations, "three")]
    assert folders(generations) == set(names)
    clock.now += timedelta(seconds=GRACE)
    generations.sweep()
    assert folders(generations) == set(names[1:])


def test_what_a_killed_writer_left_is_swept(generations: Generations) -> None:
    name = write(generations, "one")
    generations.begin(None)
    (generations.folder / ".current.json.0badcafe").write_text("half a poin")
    generations.sweep()
    assert {path.name for path in generations.folder.iterdir()} == {name, "current.json"}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '"g000001-aa"',
        "{}",
        '{"generation":"../../etc","number":1,"passages":1,"deleted":0,"made_at":"2026-05-01T12:00:00+00:00"}',
        '{"generation":"g000001-aa","number":"x","passages":1,"deleted":0,"made_at":"2026-05-01T12:00:00+00:00"}',
        '{"generation":"g000001-aa","number":1,"passages":1,"deleted":0,"made_at":"yesterday"}',
        '{"generation":"g000001-aa","number":1,"passages":1,"deleted":0,"made_at":"2026-05-01T12:00:00+00:00"}',
        "[" * 50_000,
    ],
)
def test_a_pointer_that_cannot_be_followed_is_named_with_the_command_that_mends(
    generations: Generations, content: str
) -> None:
    (generations.folder / "current.json").write_text(content)
    with pytest.raises(StoreBroken, match="qandai index ann --rebuild"):
        generations.current()


def test_a_pointer_of_a_later_version_may_say_more(generations: Generations) -> None:
    write(generations, "one")
    path = generations.folder / "current.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"mood": "good"}))
    assert generations.current() is not None


def test_no_room_for_the_copy_is_said_with_the_figures(generations: Generations, tmp_path: Path) -> None:
    write(generations, "x" * 3_000_000)
    cramped = Generations(tmp_path / "ann", free=lambda _: 5_000_000)
    with pytest.raises(DiskFull, match=r"needs 70 MB beside the present index; 5 MB are free"):
        cramped.begin(cramped.current())
    assert len(folders(generations)) == 1


def test_a_second_writer_is_told_who_the_first_one_is(generations: Generations, tmp_path: Path) -> None:
    with generations.lock("qandai ingest ann"):
        assert generations.holder() == Holder(os.getpid(), "qandai ingest ann", "2026-05-01T12:00:00+00:00")
        other = Generations(tmp_path / "ann")
        says = rf"ann is being written by `qandai ingest ann` \(process {os.getpid()}, since 2026-05-01T12:00:00"
        with pytest.raises(StoreLocked, match=says), other.lock("qandai index"):
            pass
    assert generations.holder() is None
    with Generations(tmp_path / "ann").lock("qandai index"):
        pass


def test_a_lock_dies_with_its_process(generations: Generations) -> None:
    program = (
        "import os, sys; from pathlib import Path; from qandai.adapters.generations import Generations\n"
        "lock = Generations(Path(sys.argv[1])).lock('qandai index ann'); lock.__enter__(); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", program, str(generations.folder)], check=False)
    assert (generations.folder / "writer.json").exists()
    assert generations.holder() is None
    with generations.lock("qandai index"):
        pass
