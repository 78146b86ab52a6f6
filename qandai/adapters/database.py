"""What must outlive the index, in a database: SQLite in store/ or whatever SQLAlchemy reaches by its address.

The schema is made and brought up to date by the migrations beside this file, when the database is first needed.
"""

from __future__ import annotations

import datetime
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import sqlalchemy as sa

from qandai.errors import StoreError
from qandai.ports import Note

_MIGRATIONS = Path(__file__).parent / "migrations"
_FIELDS = ("kind", "person", "video_id", "request_id", "code", "value", "second", "text")

FEEDBACK = sa.Table(
    "feedback",
    sa.MetaData(),
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("noted_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("person", sa.String(64), nullable=False),
    sa.Column("video_id", sa.String(64), nullable=False),
    sa.Column("request_id", sa.String(64)),
    sa.Column("code", sa.String(40)),
    sa.Column("value", sa.String(20)),
    sa.Column("second", sa.Float),
    sa.Column("text", sa.String(1000)),
)


def sqlite_url(path: Path) -> str:
    return sa.URL.create("sqlite", database=str(path)).render_as_string()


class Database:
    """The `Feedback` port. Threads share it; nothing is opened before it is needed."""

    def __init__(self, url: str) -> None:
        self._url = sa.make_url(url)
        self._lock = Lock()
        self._engine: sa.Engine | None = None

    def keep(self, note: Note) -> None:
        values = {name: getattr(note, name) for name in _FIELDS}
        with self._begin() as connection:
            connection.execute(FEEDBACK.insert().values(noted_at=datetime.datetime.now(datetime.UTC), **values))

    def notes(self, person: str) -> tuple[Note, ...]:
        wanted = sa.select(*(FEEDBACK.c[name] for name in _FIELDS)).where(FEEDBACK.c.person == person)
        with self._begin() as connection:
            return tuple(Note(**row) for row in connection.execute(wanted.order_by(FEEDBACK.c.id)).mappings())

    def forget(self, person: str, video_id: str | None = None) -> int:
        gone = FEEDBACK.delete().where(FEEDBACK.c.person == person)
        if video_id is not None:
            gone = gone.where(FEEDBACK.c.video_id == video_id)
        with self._begin() as connection:
            return int(connection.execute(gone).rowcount)

    def close(self) -> None:
        with self._lock:
            if self._engine is not None:
                self._engine.dispose()
                self._engine = None

    @contextmanager
    def _begin(self) -> Iterator[sa.Connection]:
        """A transaction. Vendors' errors become ours; addresses, which may hold a password, stay out of them."""
        where = self._url.render_as_string(hide_password=True)
        try:
            with self._open().begin() as connection:
                yield connection
        except (sa.exc.SQLAlchemyError, OSError) as exc:
            cause = getattr(exc, "orig", None) or type(exc).__name__
            raise StoreError(f"The database {where} failed: {cause}.", hint="See QANDAI_DATABASE_URL.") from exc

    def _open(self) -> sa.Engine:
        with self._lock:
            if self._engine is None:
                engine = sa.create_engine(self._url, pool_pre_ping=True)
                if engine.dialect.name == "sqlite":
                    _prepare_sqlite(engine)
                _migrate(engine)
                self._engine = engine
            return self._engine


def _prepare_sqlite(engine: sa.Engine) -> None:
    """Readers and a writer side by side, and a short wait where two write."""
    if engine.url.database:
        Path(engine.url.database).parent.mkdir(parents=True, exist_ok=True)

    @sa.event.listens_for(engine, "connect")
    def _pragmas(connection: sqlite3.Connection, _record: Any) -> None:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA busy_timeout=5000")


def _migrate(engine: sa.Engine) -> None:
    from alembic import command  # slow to load, and needed once
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", _MIGRATIONS.as_posix().replace("%", "%%"))
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            # Two processes may come first at once: the second waits here and then finds the work done.
            connection.exec_driver_sql("PRAGMA busy_timeout=20000")
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
