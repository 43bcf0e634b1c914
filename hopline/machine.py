"""The API of this machine: where a server of the same folder listens, and the token for its own user.

What serves the API on the loopback keeps both in a file that only its user may read, and holds a lock on it
for as long as it runs: a file without one is left over.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

FILE = "api.json"  # in HOPLINE_VAR
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class ApiOfMachine(NamedTuple):
    """An API that runs on this machine."""

    url: str
    token: str  # lets whoever may read the file do everything


def is_loopback(url: str) -> bool:
    """Return whether an address is of this machine, so that no proxy leads to it."""
    return urlsplit(url).hostname in _LOOPBACK


def find_api() -> ApiOfMachine | None:
    """Return this user's API that runs with the folder HOPLINE_VAR, or `var` here; None if there is none."""
    with suppress(OSError, ValueError, TypeError, ImportError):
        import fcntl  # noqa: PLC0415 - not on every system

        with (Path(os.environ.get("HOPLINE_VAR") or "var") / FILE).open("rb") as file:
            if os.fstat(file.fileno()).st_uid != os.getuid():
                return None
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                found = ApiOfMachine(**json.load(file))
                return found if is_loopback(found.url) else None
    return None
