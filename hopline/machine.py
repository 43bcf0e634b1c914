"""The API of this machine: where a server of the same folder listens, and the token for its own user.

What serves the API writes the file when it listens on the loopback, and removes it at its end.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

FILE = "api.json"  # in HOPLINE_VAR; nobody but its owner may read it


class ApiOfMachine(NamedTuple):
    """An API that runs on this machine."""

    url: str
    token: str  # lets whoever may read the file do everything
    pid: int  # of its process


def find_api() -> ApiOfMachine | None:
    """Return the API that was started with this folder's `var`, or that of HOPLINE_VAR, if it still runs."""
    with suppress(OSError, ValueError, TypeError):
        file = Path(os.environ.get("HOPLINE_VAR") or "var") / FILE
        found = ApiOfMachine(**json.loads(file.read_bytes()))
        os.kill(found.pid, 0)
        return found
    return None
