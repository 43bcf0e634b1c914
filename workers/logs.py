"""Logs: structured events, JSON in workers, readable in a terminal."""

from __future__ import annotations

import logging
import sys

import structlog

from workers.settings import Settings

_SHARED = (
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
)


def configure_logs(settings: Settings) -> None:
    """Send our events and those of libraries to stderr, in one form."""
    as_json = settings.log_json if settings.log_json is not None else not sys.stderr.isatty()
    last = structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer()
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(settings.log_level)),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_SHARED,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, last],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(settings.log_level)
    for noisy in ("httpx", "httpx2", "httpcore", "httpcore2", "mcp", "neo4j", "openai"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
