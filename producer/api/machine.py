"""Tells clients of this machine's user where the API listens, and lets them in without an API key."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hopline.machine import FILE, ApiOfMachine
from hopline.secrets import guard

_BYTES = 32  # of a token


def new_token() -> str:
    """Return a token for this start of the API; it is hidden wherever something is logged."""
    token = secrets.token_urlsafe(_BYTES)
    guard(token)
    return token


@contextmanager
def told_on_this_machine(var: Path, url: str, token: str) -> Iterator[None]:
    """Keep the address and the token in a file of `var` while the block runs; see `hopline.machine`.

    Another server that starts meanwhile with the same folder takes the file over.
    """
    mine = ApiOfMachine(url, token, os.getpid())
    file = var / FILE
    var.mkdir(parents=True, exist_ok=True)
    written = file.with_name(f"{FILE}.{mine.pid}")
    with os.fdopen(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as opened:
        json.dump(mine._asdict(), opened)
    written.replace(file)
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            if json.loads(file.read_bytes())["token"] == token:
                file.unlink()
