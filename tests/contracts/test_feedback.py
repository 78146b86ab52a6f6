"""Whatever keeps feedback keeps the same promises."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa

from qandai.adapters.database import FEEDBACK, Database, sqlite_url
from qandai.errors import StoreError
from qandai.ports import Feedback, Note
from tests.fakes import MemoryFeedback

FAULT = Note("playback", "ann", "talk1", request_id="a1b2c3d4", code="101", second=12.3)
THUMB = Note("thumb", "ann", "talk2", value="1")
LINE = Note("line", "οδηγός", "talk1", second=3.0, text="Το σωστό'); DROP TABLE feedback;--")


@pytest.fixture(params=["memory", "sqlite"])
def feedback(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Feedback]:
    if request.param == "memory":
        yield MemoryFeedback()
        return
    database = Database(sqlite_url(tmp_path / "store" / "qandai.sqlite"))
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


def test_eight_threads_lose_nothing(feedback: Feedback) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(feedback.keep, [FAULT] * 200))
    assert len(feedback.notes("ann")) == 200


def test_a_database_outlives_its_process_and_two_may_open_it_first(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "q.sqlite")
    one, two = Database(url), Database(url)
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda database: database.keep(FAULT), (one, two)))
    one.close()
    assert two.notes("ann") == (FAULT, FAULT)
    two.close()


def test_the_migrations_make_the_very_table_that_is_used(tmp_path: Path) -> None:
    path = tmp_path / "q.sqlite"
    database = Database(sqlite_url(path))
    database.notes("ann")
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
    with pytest.raises(StoreError, match=r"q\.sqlite"):
        broken.keep(FAULT)
    (tmp_path / "noise.sqlite").write_bytes(b"this is no database " * 100)
    noise = Database(sqlite_url(tmp_path / "noise.sqlite"))
    with pytest.raises(StoreError):
        noise.keep(FAULT)
    noise.close()
