"""The client that commands use, chosen before the first request: nothing is done again another way."""

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

    With `--local`, or where the environment names the servers, it works on these, if the server's
    distribution is installed here. Else it talks to the API at HOPLINE_API_URL, or to that of this machine,
    if one runs; where there is none, it works on the servers, too.

    Args:
        own_settings: the settings of this shell count: only an API that is named has others.

    Raises:
        InvalidInput: there is neither.
    """
    from hopline import Hopline

    local = is_local() or (own_settings and not os.environ.get("HOPLINE_API_URL"))
    with Hopline.local(via="cli", timeout=None) if local else Hopline(timeout=_PATIENCE) as client:
        yield client


def is_local() -> bool:
    """Return whether the command works on the servers themselves."""
    from hopline.machine import find_api

    if LOCAL.get() or any(map(os.environ.get, _SERVERS)):
        return True
    return not os.environ.get("HOPLINE_API_URL") and find_api() is None


def refuse_an_api() -> None:
    """Refuse a command that works on the servers alone where an API is meant: it would work on others.

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
