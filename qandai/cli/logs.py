"""Log lines for people or for machines, on stderr."""

from __future__ import annotations

import logging
import sys

import structlog

from qandai.settings import LogFormat


def configure(form: LogFormat) -> None:
    """`json`: one object a line, failures with their tracebacks as text."""
    last: list[structlog.typing.Processor] = [
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(ensure_ascii=False),
    ]
    if form == "text":
        # Plain tracebacks: the other ones show the values of variables, and some of those are secret.
        plain = structlog.dev.plain_traceback
        last = [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
