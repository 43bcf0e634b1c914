"""Tells clients of this machine's user where the API listens, and lets them in without an API key."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO

import structlog

from hopline.machine import FILE, ApiOfMachine
from hopline.secrets import guard

if TYPE_CHECKING:
    from pathlib import Path

log = structlog.get_logger()
_BYTES = 32  # of a token


class MachineFile:
    """The file that announces this API, held from its creation until `close` or the end of the process.

    The token in it survives restarts, so that running clients keep working. If the file cannot be written, or
    another server of the same folder holds it, this API is not announced.

    Args:
        var: the folder.
    """

    def __init__(self, var: Path) -> None:
        self.token = ""
        self._file: BinaryIO | None = None
        try:
            var.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(var / FILE, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            log.warning("api.not_told", folder=str(var), error=error.strerror)
            return
        file = os.fdopen(descriptor, "r+b")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            log.info("api.not_told", folder=str(var), error="another API of this folder runs")
            return
        self._file = file
        with suppress(ValueError, TypeError, KeyError):
            self.token = str(json.load(file)["token"])
        self.token = self.token or secrets.token_urlsafe(_BYTES)
        guard(self.token)
        self._write("")

    def tell(self, url: str) -> None:
        """Announce the address at which the API listens."""
        self._write(url)

    def _write(self, url: str) -> None:
        if self._file is not None:
            os.fchmod(self._file.fileno(), 0o600)
            self._file.seek(0)
            self._file.truncate()
            self._file.write(json.dumps(ApiOfMachine(url, self.token)._asdict()).encode())
            self._file.flush()

    def close(self) -> None:
        """Release the file, so that clients no longer find the API."""
        if self._file is not None:
            self._file.close()
            self._file = None
