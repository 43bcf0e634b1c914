"""Logs: structured events, JSON in workers, readable in a terminal."""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog
from structlog.typing import EventDict

from hopline.secrets import scrubbed
from workers.settings import Settings


def _without_secrets(_logger: Any, _method: str, event: EventDict) -> EventDict:
    return {name: _clean(value) for name, value in event.items()}


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return scrubbed(value)
    if isinstance(value, dict):
        return {name: _clean(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(part) for part in value]
    return scrubbed(str(value)) if isinstance(value, BaseException) else value


_SHARED = (
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
    _without_secrets,
)


_OURS = frozenset({"infra", "producer", "stamina", "workers"})  # stamina logs the retries of our client


def leave_to_logging() -> None:
    """Hand our events to Python's `logging`, silent unless configured, where structlog is not configured.

    For hopline as a library: structlog unconfigured prints to stdout. What others log by it stays unchanged.
    """
    if structlog.is_configured():
        return
    for name in _OURS:
        logging.getLogger(name).addHandler(logging.NullHandler())
    by_module = structlog.stdlib.LoggerFactory(ignore_frame_names=[__name__])

    def logger_of(*names: Any) -> Any:
        logger = by_module(*names)
        return logger if logger.name.partition(".")[0] in _OURS else structlog.PrintLogger()

    structlog.configure(logger_factory=logger_of)


def configure_logs(settings: Settings) -> None:
    """Log hopline's and libraries' events to stderr in one format, as configured."""
    send_logs(settings.log_level, as_json=settings.log_json)


def send_logs(level: str = "INFO", *, as_json: bool | None = None) -> None:
    """Send our events and those of libraries to stderr, in one form.

    Args:
        level: the least urgent that is sent.
        as_json: one object a line; unless given, only where stderr is no terminal.
    """
    in_json = as_json if as_json is not None else not sys.stderr.isatty()
    last = structlog.processors.JSONRenderer() if in_json else structlog.dev.ConsoleRenderer()
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level)),
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
    root.setLevel(level)
    for noisy in ("httpx", "httpx2", "httpcore", "httpcore2", "mcp", "neo4j", "openai"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def quiet_logs(settings: Settings) -> None:
    """Send warnings of the adapters to stderr; stdout is for requested output."""
    configure_logs(settings.model_copy(update={"log_level": "WARNING", "log_json": False}))
