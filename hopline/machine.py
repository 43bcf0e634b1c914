"""The API of this machine: its address, announced by a server of the same folder, and its user's token.

What serves the API on the loopback keeps both in a file that only its user may read, and holds a lock on it
for as long as it runs: a file without one is left over.
"""

from __future__ import annotations

import json
import os
import sys
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


def var_folder() -> Path:
    """Return the local stack's folder: HOPLINE_VAR of environment or `.env`, or var/ in a clone.

    Installed from a wheel, it is hopline's folder among the user's data.
    """
    if folder := environment_value("HOPLINE_VAR"):
        return Path(folder)
    project = Path(__file__).resolve().parent.parent
    return project / "var" if (project / "pyproject.toml").is_file() else _user_data() / "hopline"


def _user_data() -> Path:
    """Return where the platform keeps data of this user's programs (XDG Base Directory 0.8 on Linux)."""
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    name, default = (
        ("LOCALAPPDATA", home / "AppData" / "Local")
        if sys.platform == "win32"
        else ("XDG_DATA_HOME", home / ".local" / "share")
    )
    named = Path(os.environ.get(name, ""))
    return named if named.is_absolute() else default  # a relative one is to be ignored


def environment_value(name: str) -> str | None:
    """Return a variable's value in the environment, or else in `.env` where python-dotenv is installed."""
    if (value := os.environ.get(name)) or not Path(".env").is_file():
        return value
    with suppress(ImportError):
        from dotenv import dotenv_values  # noqa: PLC0415 - a command without such a file starts sooner

        return dotenv_values(".env", encoding="utf-8-sig").get(name)
    return None


def find_api() -> ApiOfMachine | None:
    """Return this user's API that runs with the folder of the local stack; None if there is none."""
    with suppress(OSError, ValueError, TypeError, ImportError):
        import fcntl  # noqa: PLC0415 - not on every system

        with (var_folder() / FILE).open("rb") as file:
            if os.fstat(file.fileno()).st_uid != os.getuid():
                return None
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                found = ApiOfMachine(**json.load(file))
                return found if is_loopback(found.url) else None
    return None
