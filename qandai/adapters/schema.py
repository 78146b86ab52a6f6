"""Brings a database's schema up to date by the migrations beside this file, which a wheel carries too."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import sqlalchemy as sa
from filelock import FileLock

from qandai.errors import DatabaseNewer

_MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK = 0x51414E44
"""Names our lock among those of the database server."""
_PATIENCE = 60.0
"""Seconds that one process waits for another's first connection."""


def migrate(engine: sa.Engine) -> None:
    """Raises DatabaseNewer, with nothing changed, for a schema that this version does not know."""
    from alembic import command  # slow to load, and needed once
    from alembic.config import Config
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", _MIGRATIONS.as_posix().replace("%", "%%"))
    known = ScriptDirectory.from_config(config)
    with _first(engine), engine.begin() as connection:
        _alone(connection)
        held = MigrationContext.configure(connection).get_current_revision()
        if held == known.get_current_head():
            return
        if held is not None and held not in {script.revision for script in known.walk_revisions()}:
            where = engine.url.render_as_string(hide_password=True)
            raise DatabaseNewer(
                f"The database {where} was made by a newer version of Q&AI (schema {held}; this version knows "
                f"{known.get_current_head()}).",
                hint="Update Q&AI, or name another database in QANDAI_DATABASE_URL.",
            )
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _first(engine: sa.Engine) -> AbstractContextManager[object]:
    """One process at a time makes a file's first connection: SQLite turns the file to WAL there, and where two turn it
    at once it fails the second without waiting for its busy timeout.
    """
    file = engine.url.database
    if engine.dialect.name != "sqlite" or file in (None, "", ":memory:"):
        return nullcontext()
    return FileLock(f"{file}.lock", timeout=_PATIENCE)


def _alone(connection: sa.Connection) -> None:
    """Two processes may come first at once: the second waits here and then finds the work done."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    elif connection.dialect.name == "postgresql":
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
