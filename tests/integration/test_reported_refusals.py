"""What visitors' players refused is looked at again by the next ingest, and nothing else is."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from qandai import compose, compose_doctor, compose_ingest
from qandai.feedback import Note
from qandai.ingest.report import Orders, Report
from qandai.model import Person, Source
from qandai.settings import Settings
from tests.youtube_site import Channel, Video, automatic, speech

FIRST, SECOND = "video01aaaa", "video02aaaa"
ANN = Person("ann", "Ann", sources=(Source("youtube", ("https://www.youtube.com/@ann/videos",)),))


@pytest.fixture
def channel() -> Iterator[Channel]:
    videos = [Video(FIRST, "Talk 1", auto={"en": "a1"}), Video(SECOND, "Talk 2", auto={"en": "a2"})]
    with Channel(videos, {"a1": automatic(speech(1)), "a2": automatic(speech(2))}).served() as served:
        yield served


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "ann.yaml").write_text("name: Ann\n")
    return Settings.read({}, home=tmp_path, youtube_pause=0.0)


def ingest(settings: Settings, channel: Channel) -> Report:
    with compose_ingest.ingester(settings, opens=channel.opens, index=False) as ingester:
        return ingester.ingest(ANN, Orders(), lambda *step: None)


def report(settings: Settings, video_id: str, code: str) -> None:
    time.sleep(1.1)  # the ledger remembers in whole seconds when it looked
    with closing(compose.feedback(settings)) as notes:
        notes.keep(Note("playback", "ann", video_id, code=code))


def findings(settings: Settings) -> list[tuple[str, str]]:
    """What the doctor says of reports."""
    found = compose_doctor.diagnoses(settings, online=False)
    return [(finding.state, finding.said) for finding in found if finding.about == "reports"]


def test_a_refused_video_is_looked_up_once_and_leaves_the_search_only_if_it_is_so(
    settings: Settings, channel: Channel
) -> None:
    first = ingest(settings, channel)
    assert {entry.state for entry in first.entries.values()} == {"transcribed"}
    report(settings, FIRST, "101")
    report(settings, SECOND, "153")  # the site's own fault
    channel.looked_up.clear()
    assert findings(settings) == [("note", "videos that players refused: 1 of ann")]
    assert ingest(settings, channel).entries[FIRST].state == "transcribed"  # a visitor may err, or lie
    assert channel.looked_up == [FIRST]
    assert findings(settings) == [("ok", "no video that a player refused waits for a look")]
    assert ingest(settings, channel).entries[FIRST].state == "transcribed"
    assert channel.looked_up == [FIRST]
    report(settings, FIRST, "150")
    channel.videos[FIRST].info["playable_in_embed"] = False
    entry = ingest(settings, channel).entries[FIRST]
    assert (entry.state, entry.reason) == ("dead", "does not play on other sites")
    assert channel.looked_up == [FIRST, FIRST]


def test_a_database_that_fails_is_named_and_everything_else_is_done(settings: Settings, channel: Channel) -> None:
    settings.store.mkdir()
    (settings.store / "qandai.sqlite3").write_bytes(b"anything but a database " * 500)
    done = ingest(settings, channel)
    assert len(done.fetched) == 2
    assert [state for state, said in findings(settings) if "qandai.sqlite3" in said] == ["fault"]
    assert "qandai.sqlite3" in " ".join(str(fault) for fault in done.faults)
