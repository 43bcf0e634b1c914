"""The client that commands use, chosen before the first request: no request is repeated another way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hopline import Hopline

LOCAL = ContextVar("local", default=False)  # the command line asks for the servers themselves
_PATIENCE = 600.0  # seconds: what a command asks for may take long before the reply begins
# Whoever names these means servers, not the API that happens to run.
_SERVERS = ("HOPLINE_REDIS_URL", "HOPLINE_NEO4J_URL")


@contextmanager
def connected(*, own_settings: bool = False) -> Iterator[Hopline]:
    """Yield the client of the command; close it at the end.

    With `--local`, or if the environment names the servers, it uses the servers directly, provided that the
    server distribution is installed. Otherwise it calls the API at HOPLINE_API_URL, or one that is running
    on this machine; failing that, it uses the servers directly.

    Args:
        own_settings: this shell's settings apply, so an API is used only if HOPLINE_API_URL names it.

    Raises:
        InvalidInput: neither an API nor servers are available.
    """
    from hopline import Hopline

    local = is_local() or (own_settings and not os.environ.get("HOPLINE_API_URL"))
    with Hopline.local(via="cli", timeout=None) if local else Hopline(timeout=_PATIENCE) as client:
        yield client


def is_local() -> bool:
    """Return whether the command uses the servers directly."""
    from hopline.machine import find_api

    if LOCAL.get() or any(map(os.environ.get, _SERVERS)):
        return True
    return not os.environ.get("HOPLINE_API_URL") and find_api() is None


def refuse_an_api() -> None:
    """Refuse a command that uses the servers directly if an API is named, which may have other servers.

    Raises:
        InvalidInput: HOPLINE_API_URL names an API.
    """
    from hopline.errors import InvalidInput

    if (url := os.environ.get("HOPLINE_API_URL")) and not is_local():
        message = (
            f"this command works on hopline's servers and not over an API, but HOPLINE_API_URL is {url}: "
            "unset it, or use `hopline --local …`"
        )
        raise InvalidInput("HOPLINE_API_URL", url, "none for this command", message=message)
