"""Whatever keeps feedback keeps the same promises."""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from qandai.adapters.database import FEEDBACK, Database, sqlite_url
from qandai.errors import DatabaseFailed, DatabaseNewer, UsageError
from qandai.feedback import Feedback, Note
from tests.fakes import MemoryFeedback

FAULT = Note("playback", "ann", "talk1", request_id="a1b2c3d4", code="101", second=12.3)
THUMB = Note("thumb", "ann", "talk2", value="1")
LINE = Note("line", "οδηγός", "talk1", second=3.0, text="Το σωστό'); DROP TABLE feedback;--")


SERVER = os.environ.get("QANDAI_TEST_DATABASE_URL")
"""A database that may be emptied, of another kind: postgresql+psycopg://user:password@host/name."""


@pytest.fixture(params=["memory", "sqlite", *(["server"] if SERVER else [])])
def feedback(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Feedback]:
    if request.param == "memory":
        yield MemoryFeedback()
        return
    database = Database(SERVER if SERVER and request.param == "server" else sqlite_url(tmp_path / "store" / "q.sqlite"))
    for person in ("ann", "bob", "οδηγός"):
        database.forget(person)
    yield database
    database.close()


def test_what_is_kept_is_read_again_oldest_first(feedback: Feedback) -> None:
    for note in (FAULT, THUMB, LINE):
        feedback.keep(note)
    assert feedback.notes("ann") == (FAULT, THUMB)
    assert feedback.notes("οδηγός") == (LINE,)
    assert feedback.notes("bob") == ()


def test_a_recording_or_a_person_is_forgotten_and_nobody_else(feedback: Feedback) -> None:
    for note in (FAULT, THUMB, LINE):
        feedback.keep(note)
    assert feedback.forget("ann", "talk1") == 1
    assert feedback.notes("ann") == (THUMB,)
    assert feedback.forget("ann") == 1
    assert feedback.forget("ann") == 0
    assert feedback.notes("οδηγός") == (LINE,)


def test_refusals_count_what_blames_the_video_and_nothing_else(feedback: Feedback) -> None:
    began = datetime.now(UTC)
    for note in (FAULT, FAULT, replace(FAULT, video_id="talk2", code="150"), THUMB, LINE):
        feedback.keep(note)
    for harmless in ("5", "153", "silent", "media 4", None):  # the player's or the site's fault
        feedback.keep(replace(FAULT, video_id="talk3", code=harmless))
    feedback.keep(Note("thumb", "ann", "talk4", code="101"))
    found = feedback.refusals("ann")
    assert {video_id: refusal.count for video_id, refusal in found.items()} == {"talk1": 2, "talk2": 1}
    assert began - timedelta(seconds=1) < found["talk1"].last <= datetime.now(UTC) + timedelta(seconds=1)
    assert feedback.refusals("bob") == {}


def test_eight_threads_lose_nothing(feedback: Feedback) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(feedback.keep, [FAULT] * 200))
    assert len(feedback.notes("ann")) == 200


def test_a_database_outlives_its_process_and_many_may_open_it_first(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "q.sqlite")
    many = [Database(url) for _ in range(12)]
    with ThreadPoolExecutor(len(many)) as threads:
        list(threads.map(lambda database: database.keep(FAULT), many))
    *closed, last = many
    for database in closed:
        database.close()
    assert last.notes("ann") == (FAULT,) * len(many)
    last.close()


def test_the_migrations_make_the_very_table_that_is_used(tmp_path: Path) -> None:
    path = tmp_path / "q.sqlite"
    database = Database(sqlite_url(path))
    database.open()
    database.close()
    engine = sa.create_engine(sqlite_url(path))
    made = {
        column["name"]: (str(column["type"]), column["nullable"])
        for column in sa.inspect(engine).get_columns("feedback")
    }
    engine.dispose()
    assert made == {
        column.name: (str(column.type.compile(engine.dialect)), bool(column.nullable)) for column in FEEDBACK.columns
    }


def test_a_database_that_fails_says_which_without_its_password(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    broken = Database(sqlite_url(tmp_path / "file" / "q.sqlite"))
    with pytest.raises(DatabaseFailed, match=r"q\.sqlite"):
        broken.keep(FAULT)
    (tmp_path / "noise.sqlite").write_bytes(b"this is no database " * 100)
    noise = Database(sqlite_url(tmp_path / "noise.sqlite"))
    with pytest.raises(DatabaseFailed):
        noise.keep(FAULT)
    noise.close()
    away = Database("postgresql+nobody://ann:s3cret@127.0.0.1/q")
    with pytest.raises(DatabaseFailed) as failed:
        away.keep(FAULT)
    assert "s3cret" not in str(failed.value)


@pytest.mark.parametrize("url", ["nonsense", "s3cret@host", "postgresql://ann:s3cret@host:port/q"])
def test_what_is_no_address_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(UsageError, match="QANDAI_DATABASE_URL") as refused:
        Database(url)
    assert "s3cret" not in str(refused.value)


def test_a_database_of_a_newer_version_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "q.sqlite"
    first = Database(sqlite_url(path))
    first.keep(FAULT)
    first.close()
    with closing(sqlite3.connect(path)) as newer, newer:
        newer.execute("UPDATE alembic_version SET version_num = '9999'")
        newer.execute("ALTER TABLE feedback ADD COLUMN mood TEXT")
    database = Database(sqlite_url(path))
    for attempt in (database.open, lambda: database.keep(FAULT), lambda: database.notes("ann")):
        with pytest.raises(DatabaseNewer, match=r"newer version of Q&AI.*9999"):
            attempt()
    with closing(sqlite3.connect(path)) as held:
        assert held.execute("SELECT count(*), max(mood) FROM feedback").fetchone() == (1, None)
        assert held.execute("SELECT version_num FROM alembic_version").fetchone() == ("9999",)


@contextmanager
def no_file_over(size: int) -> Iterator[None]:
    """As on a full disk: what would make a file larger fails."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)


def fill(database: Database, note: Note) -> int:
    """How many notes went in before one was refused."""
    for kept in range(1000):
        try:
            database.keep(note)
        except DatabaseFailed:
            return kept
    raise AssertionError("it was never full")


def test_a_full_disk_refuses_a_note_and_keeps_the_next_when_there_is_room(tmp_path: Path) -> None:
    database = Database(sqlite_url(tmp_path / "q.sqlite"))
    database.open()
    with no_file_over(64 * 1024):
        kept = fill(database, replace(FAULT, text="x" * 1000))
    assert kept > 0
    database.keep(FAULT)
    assert len(database.notes("ann")) == kept + 1
    database.close()


def test_a_flood_leaves_the_newest(tmp_path: Path) -> None:
    database = Database(sqlite_url(tmp_path / "q.sqlite"), most=10)
    for second in range(25):
        database.keep(replace(FAULT, second=float(second)))
    assert [note.second for note in database.notes("ann")] == [float(second) for second in range(15, 25)]
    database.close()


def test_who_only_reads_makes_no_file(tmp_path: Path) -> None:
    database = Database(sqlite_url(tmp_path / "store" / "q.sqlite"))
    assert database.notes("ann") == ()
    assert database.refusals("ann") == {}
    assert database.forget("ann") == 0
    database.close()
    assert list(tmp_path.iterdir()) == []
