"""Recordings that are fetched side by side: their outcomes are those of one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier, Event

import pytest

from qandai.errors import DiskFull, NoSpeech, ProviderError
from qandai.hearing import AudioFormat, Heard, HeardSegment, HeardWord, Sound, TranscriberLimits
from qandai.ingest.pipeline import Ingester
from qandai.ingest.podcast import Folder
from qandai.ingest.report import Orders, Report
from qandai.ingest.transcribe.asking import Asker
from qandai.ingest.transcribe.recordings import transcribe_with
from qandai.ingest.transcribe.story import Scribe
from qandai.model import Person, Source, Transcript
from qandai.origins import Entry, Recorded
from tests.fakes import MemoryHeard, MemoryLedgers, MemoryTranscripts, MemoryWaits

NOON = datetime(2026, 3, 3, 12, tzinfo=UTC)
ANN = Person("ann", "Ann", sources=(Source("audio", ("audio/ann",)),))
SHORT = Sound(10.0)
PATIENCE = 30.0  # seconds after which what should meet has not met


class Files:
    """Recordings of ten seconds in a folder; a file's title is its id."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def find(self, folder: str) -> Iterator[Recorded]:
        for name in self._names:
            yield Recorded(name, name, f"{folder}/{name}.mp3", 10.0)

    def open(self, path: str) -> Path:
        return Path(path)


class Standing(Folder):
    """A folder whose files are all there, without a disk."""

    def gone(self, entry: Entry) -> str | None:
        return None


class NamedAudio:
    """Each recording's digest and pieces tell which one it is."""

    def __init__(self, sound: Sound) -> None:
        self._sound = sound

    def digest(self, recording: Path) -> str:
        return recording.stem.encode().hex().ljust(64, "0")

    def listen(self, recording: Path) -> Sound:
        return self._sound

    def quietest(self, recording: Path, start: float, end: float) -> float:
        return (start + end) / 2

    @contextmanager
    def cut(self, recording: Path, start: float, end: float, form: AudioFormat) -> Iterator[Path]:
        yield recording


@dataclass
class Ears:
    """Hears whatever `hear` says of a recording's name."""

    hear: Callable[[str], None]
    limits: TranscriberLimits
    model: str = "ears"

    def transcribe(self, piece: Path, *, language: str | None, prompt: str) -> Heard:
        self.hear(piece.stem)
        words = tuple(HeardWord(f"{piece.stem}{n}", n / 2, n / 2 + 0.4) for n in range(19))
        return Heard((HeardSegment(0.0, 10.0, " ".join(word.text for word in words)),), words)


def ingest(
    hear: Callable[[str], None],
    *names: str,
    at_once: int,
    transcripts: MemoryTranscripts | None = None,
    sound: Sound = SHORT,
) -> tuple[Report, MemoryTranscripts, list[tuple[int, int | None]]]:
    """The report, what was written, and what the bar of transcripts showed."""
    kept = transcripts or MemoryTranscripts()
    ears, audio, heard = Ears(hear, TranscriberLimits(parallel=at_once)), NamedAudio(sound), MemoryHeard()
    scribe = Scribe(ears, audio, heard, asker=Asker(ears, audio, heard, sleep=lambda _: None))
    folder = Standing(Files(*names), transcribe_with(scribe, now=lambda: NOON), at_once=at_once)
    shown: list[tuple[int, int | None]] = []

    def watch(stage: str, done: int, total: int | None, title: str) -> None:
        if stage == "transcripts":
            shown.append((done, total))

    ingester = Ingester({"audio": folder}, kept, MemoryLedgers(), MemoryWaits(), now=lambda: NOON)
    return ingester.ingest(ANN, Orders(), watch), kept, shown


def states(report: Report) -> dict[str, tuple[str, str]]:
    return {entry.id: (entry.state, entry.reason) for entry in report.entries.values()}


def test_two_recordings_are_heard_at_the_same_time() -> None:
    both = Barrier(2)

    def meet(name: str) -> None:
        both.wait(PATIENCE)  # raises where the other one does not come

    report, transcripts, shown = ingest(meet, "one", "two", "six", "ten", at_once=2)
    assert set(states(report).values()) == {("transcribed", "")}
    assert transcripts.read("ann", "six").words[0].text == "six0"
    assert shown[0] == (0, 4)
    assert [done for done, _ in shown] == sorted(done for done, _ in shown)
    assert not both.broken


def test_pieces_of_several_recordings_are_no_more_at_once_than_the_transcriber_takes() -> None:
    under_way: set[object] = set()
    most: list[int] = []

    def hear(name: str) -> None:
        one = object()
        under_way.add(one)
        most.append(len(under_way))
        Event().wait(0.005)
        under_way.remove(one)

    ingest(hear, *(f"talk{n}" for n in range(4)), at_once=2, sound=Sound(3600.0))
    assert len(most) >= 4 * 6
    assert max(most) == 2


@pytest.mark.parametrize("failure", [NoSpeech("nobody is heard."), ProviderError("died"), RuntimeError("a fault")])
def test_one_that_fails_never_stops_the_other(failure: Exception) -> None:
    failed = Event()

    def hear(name: str) -> None:
        if name == "bad":
            failed.set()
            raise failure
        assert failed.wait(PATIENCE)  # its neighbour has failed while this one is heard

    report, transcripts, _ = ingest(hear, "bad", "good", "last", at_once=2)
    found = states(report)
    assert found["good"] == found["last"] == ("transcribed", "")
    assert found["bad"][0] in ("skipped", "pending")
    assert transcripts.ids("ann") == ("good", "last")
    assert report.faults == ()


def test_what_is_reported_is_in_the_order_of_the_folder_whichever_ended_first() -> None:
    others = [Event() for _ in range(2)]

    def hear(name: str) -> None:
        if name == "long":
            assert all(other.wait(PATIENCE) for other in others)
        elif name.startswith("short"):
            others[int(name[-1])].set()

    report, _, _ = ingest(hear, "long", "short0", "short1", at_once=2)
    assert report.fetched == report.changed == ("long", "short0", "short1")
    assert list(report.entries) == ["long", "short0", "short1"]


def test_a_short_recording_is_on_disk_while_a_long_one_is_still_heard() -> None:
    written = Event()

    class Noting(MemoryTranscripts):
        def write(self, slug: str, transcript: Transcript) -> None:
            super().write(slug, transcript)
            if transcript.video.id == "short":
                written.set()

    seen: list[bool] = []
    ingest(
        lambda name: seen.append(written.wait(PATIENCE)) if name == "long" else None,
        "long",
        "short",
        at_once=2,
        transcripts=Noting(),
    )
    assert seen == [True]


def test_a_full_disk_ends_the_run_and_what_was_written_stays() -> None:
    class Small(MemoryTranscripts):
        def write(self, slug: str, transcript: Transcript) -> None:
            if transcript.video.id == "two":
                raise DiskFull("no room.")
            super().write(slug, transcript)

    report, transcripts, _ = ingest(lambda name: None, *("one", "two", "six"), at_once=1, transcripts=Small())
    assert states(report)["one"] == ("transcribed", "")
    assert states(report)["two"] == ("found", "")
    assert [fault.message for fault in report.faults] == ["no room."]
    assert transcripts.ids("ann") == ("one",)


def test_what_is_stopped_asks_for_nothing_more() -> None:
    ears = Ears(lambda name: None, TranscriberLimits(parallel=2))
    scribe = Scribe(ears, NamedAudio(SHORT), MemoryHeard())
    scribe.stop()
    with pytest.raises(ProviderError, match="stopped"):
        scribe.transcribe(Path("talk.mp3"))
