"""`qandai serve`: the site and the API, on waitress."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, NoReturn

import click
import structlog
from waitress.server import create_server

from qandai import compose, compose_models
from qandai.cli import logs
from qandai.errors import DatabaseFailed, DatabaseNewer, QandaiError, UsageError
from qandai.feedback import Feedback
from qandai.ports import ShelfState
from qandai.settings import Settings
from qandai.site import Site
from qandai.web.app import create_app

log = structlog.get_logger(__name__)

WAITRESS_BODY = 1024 * 1024
"""The application refuses bodies over 64 KB with an error of our shape; waitress would with one of its own."""

_LOOK = 0.25  # seconds between looks at who became ready
_YIELDING = 10  # the niceness of the index run
_GRACE = 5.0  # seconds that the index run gets to put its work away


@click.command("serve")
@click.option("--host", help="The address to listen on (default: QANDAI_HOST, else 127.0.0.1).")
@click.option("--port", type=click.IntRange(0, 65535), help="The port (default: PORT, else 8000; 0 takes a free one).")
@click.pass_context
def command(ctx: click.Context, host: str | None, port: int | None) -> None:
    """Serve the site and the API.

    The port opens at once. Persons are opened, and brought in step with their transcripts, meanwhile.
    """
    settings: Settings = ctx.obj
    settings = replace(
        settings,
        host=settings.host if host is None else host,
        port=settings.port if port is None else port,
    )
    logs.configure(settings.log_format)
    with _listening(settings) as door, _notes(settings) as notes:
        site = compose.site(settings, notes)
        server = create_server(
            create_app(site),
            sockets=[door],
            threads=settings.threads,
            channel_timeout=60,
            connection_limit=500,
            max_request_body_size=WAITRESS_BODY,
            max_request_header_size=32 * 1024,
            ident=None,
            **_proxies(settings),
        )
        signal.signal(signal.SIGTERM, _leave)
        click.echo(f"Q&AI is open at {_address(settings, door)} (Ctrl-C closes it)")
        with _Keeper(site):
            server.run()
    click.echo("Q&AI is closed.")


@contextmanager
def _notes(settings: Settings) -> Iterator[Feedback | None]:
    """The site serves without them: a newer database is left alone, one that fails now is tried at every report."""
    database = compose.feedback(settings)
    kept: Feedback | None = database
    try:
        database.open()
    except DatabaseFailed as exc:
        kept = None if isinstance(exc, DatabaseNewer) else database
        click.echo(f"What visitors report is not kept: {exc}", err=True)
    try:
        yield kept
    finally:
        database.close()


def _leave(_number: int, _frame: object) -> NoReturn:
    raise SystemExit(0)


@contextmanager
def _listening(settings: Settings) -> Iterator[socket.socket]:
    """The open door, before anything slow is loaded: who comes early waits instead of being refused."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((settings.host, settings.port))
            door.listen(1024)
        except OSError as exc:
            raise UsageError(
                f"{settings.host}:{settings.port} cannot be listened on: {exc.strerror or exc}.",
                hint=f"Is it served already? Another port: qandai serve --port {min(settings.port + 1, 65535)}",
            ) from exc
        yield door


def _address(settings: Settings, door: socket.socket) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{door.getsockname()[1]}"


def _proxies(settings: Settings) -> dict[str, Any]:
    """Without a trusted proxy waitress removes what strangers claim to have forwarded."""
    if not settings.trusted_proxies:
        return {"clear_untrusted_proxy_headers": True}
    return {
        "trusted_proxy": "*",
        "trusted_proxy_count": settings.trusted_proxies,
        "trusted_proxy_headers": {"x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"},
        "clear_untrusted_proxy_headers": True,
    }


class _Keeper:
    """Beside the server: opens the shelves, brings them in step in a child process, and says who is ready."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._closing = threading.Event()
        self._child: subprocess.Popen[str] | None = None
        self._threads = (
            threading.Thread(target=self._bring_in_step, name="index", daemon=True),
            threading.Thread(target=self._announce, name="announce", daemon=True),
            threading.Thread(target=self._look_at_models, name="models", daemon=True),
        )

    def __enter__(self) -> _Keeper:
        slugs = self._site.people.slugs()
        if not slugs:
            click.echo("There is nobody to ask yet. Try: qandai people new NAME", err=True)
        self._site.shelves.await_index(slugs)
        self._site.shelves.start()
        if slugs:
            command = [sys.executable, "-m", "qandai", "--home", str(self._site.settings.home), "index"]
            # Its own session: Ctrl-C reaches it through us, once.
            self._child = subprocess.Popen(  # noqa: S603  # our own program
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
            with suppress(OSError):  # it uses all cores, and visitors go first
                os.setpriority(os.PRIO_PROCESS, self._child.pid, _YIELDING)
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        if self._child is not None and self._child.poll() is None:
            self._child.terminate()
            try:
                self._child.wait(_GRACE)
            except subprocess.TimeoutExpired:
                self._child.kill()
        for thread in self._threads:
            thread.join(_GRACE)
        self._site.asker.close()
        self._site.shelves.close()

    def _bring_in_step(self) -> None:
        if self._child is None or self._child.stdout is None:
            return
        with self._child.stdout as lines:
            for line in lines:
                log.info("index", said=line.rstrip())
        code = self._child.wait()
        self._site.shelves.await_index(())
        if code and not self._closing.is_set():
            log.warning("index", failed=code, hint="The site serves what it has. Try: qandai index")

    def _look_at_models(self) -> None:
        """Models retire often. The site serves without them, and says so to whoever can name others."""
        try:
            gone = compose_models.not_offered(self._site.settings)
        except QandaiError as error:
            log.warning("models", error=str(error))
            return
        if gone:
            log.warning("models", gone=", ".join(gone), hint="Name others: docs/models.md lists the variables.")

    def _announce(self) -> None:
        told: dict[str, ShelfState] = {}
        while not self._closing.wait(_LOOK):
            for slug, state in self._site.shelves.states().items():
                if told.get(slug) != state:
                    told[slug] = state
                    self._tell(slug, state)

    def _tell(self, slug: str, state: ShelfState) -> None:
        if state.state == "ready":
            try:
                self._site.asker.warm(slug)
            except QandaiError as error:
                log.warning("warm", person=slug, error=str(error))
            click.echo(f"{slug} can be asked ({state.passages:,} passages)")
        elif state.state == "failed":
            click.echo(f"{slug} cannot be asked: {state.reason}", err=True)
