"""What must outlive the index, in a database: SQLite in store/ or whatever SQLAlchemy reaches by its address.

The schema is made and brought up to date by the migrations beside this file, when the database is first needed.
"""

from __future__ import annotations

import datetime
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import sqlalchemy as sa

from qandai.adapters.schema import migrate
from qandai.errors import DatabaseFailed, UsageError
from qandai.feedback import REFUSALS, Note, Refusal

KEPT = 100_000
"""Notes at most, the newest: a stranger's flood fills a few dozen megabytes and never the disk."""

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

    def __init__(self, url: str, *, most: int = KEPT) -> None:
        """Raises UsageError for what is no database's address."""
        try:
            self._url = sa.make_url(url)
        except (sa.exc.ArgumentError, ValueError) as exc:  # its text may hold the password
            raise UsageError(
                "QANDAI_DATABASE_URL cannot be read.",
                hint="It looks like sqlite:////folder/file or postgresql+psycopg://user:password@host/name.",
            ) from exc
        self._most = most
        self._lock = Lock()
        self._engine: sa.Engine | None = None

    def open(self) -> None:
        """Makes the schema or brings it up to date. Raises DatabaseFailed, DatabaseNewer."""
        with self._failing():
            self._opened()

    def keep(self, note: Note) -> None:
        values = {name: getattr(note, name) for name in _FIELDS}
        with self._begin() as connection:
            made = connection.execute(FEEDBACK.insert().values(noted_at=datetime.datetime.now(datetime.UTC), **values))
            assert made.inserted_primary_key
            newest = made.inserted_primary_key.id
            connection.execute(FEEDBACK.delete().where(FEEDBACK.c.id <= newest - self._most))

    def notes(self, person: str) -> tuple[Note, ...]:
        wanted = sa.select(*(FEEDBACK.c[name] for name in _FIELDS)).where(FEEDBACK.c.person == person)
        if self._unwritten:
            return ()
        with self._begin() as connection:
            return tuple(Note(**row) for row in connection.execute(wanted.order_by(FEEDBACK.c.id)).mappings())

    def refusals(self, person: str) -> Mapping[str, Refusal]:
        reported = sa.select(FEEDBACK.c.video_id, sa.func.count(), sa.func.max(FEEDBACK.c.noted_at)).where(
            FEEDBACK.c.person == person, FEEDBACK.c.kind == "playback", FEEDBACK.c.code.in_(REFUSALS)
        )
        if self._unwritten:
            return {}
        with self._begin() as connection:
            rows = connection.execute(reported.group_by(FEEDBACK.c.video_id))
            return {video_id: Refusal(count, _utc(last)) for video_id, count, last in rows}

    def forget(self, person: str, video_id: str | None = None) -> int:
        gone = FEEDBACK.delete().where(FEEDBACK.c.person == person)
        if video_id is not None:
            gone = gone.where(FEEDBACK.c.video_id == video_id)
        if self._unwritten:
            return 0
        with self._begin() as connection:
            return int(connection.execute(gone).rowcount)

    def close(self) -> None:
        with self._lock:
            if self._engine is not None:
                self._engine.dispose()
                self._engine = None

    @property
    def _unwritten(self) -> bool:
        """A file that nobody has written yet: who only reads must not make it."""
        file = self._url.database
        return self._url.get_backend_name() == "sqlite" and bool(file) and not Path(str(file)).exists()

    @contextmanager
    def _begin(self) -> Iterator[sa.Connection]:
        with self._failing(), self._opened().begin() as connection:
            yield connection

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Vendors' errors become ours; addresses, which may hold a password, stay out of them."""
        where = self._url.render_as_string(hide_password=True)
        try:
            yield
        except (ImportError, sa.exc.NoSuchModuleError) as exc:
            raise DatabaseFailed(
                f"The database {where} has no driver here.",
                hint="PostgreSQL is named postgresql+psycopg://… and wants: pip install 'psycopg[binary]'",
            ) from exc
        except (sa.exc.SQLAlchemyError, OSError) as exc:
            cause = " ".join(str(getattr(exc, "orig", None) or type(exc).__name__).split())
            raise DatabaseFailed(f"The database {where} failed: {cause}.", hint=self._remedy()) from exc

    def _remedy(self) -> str:
        if self._url.get_backend_name() == "sqlite":
            return "Is the disk full, or the file not ours? Where it is moved away a new one is made."
        return "See QANDAI_DATABASE_URL."

    def _opened(self) -> sa.Engine:
        with self._lock:
            if self._engine is None:
                engine = sa.create_engine(self._url, pool_pre_ping=True)
                if engine.dialect.name == "sqlite":
                    _prepare_sqlite(engine)
                try:
                    migrate(engine)
                except BaseException:
                    engine.dispose()
                    raise
                self._engine = engine
            return self._engine


def _utc(time: datetime.datetime) -> datetime.datetime:
    """SQLite forgets the zone."""
    return time if time.tzinfo else time.replace(tzinfo=datetime.UTC)


def _prepare_sqlite(engine: sa.Engine) -> None:
    """Readers and a writer side by side, and a short wait where two write."""
    if engine.url.database:
        Path(engine.url.database).parent.mkdir(parents=True, exist_ok=True)

    @sa.event.listens_for(engine, "connect")
    def _pragmas(connection: sqlite3.Connection, _record: Any) -> None:
        connection.execute("PRAGMA busy_timeout=5000")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
