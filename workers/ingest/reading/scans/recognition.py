"""Recognises the scanned pages of a file in a separate process with its own limits."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple

import orjson

from hopline.errors import DocumentUnreadable
from workers.core.ports import Limits
from workers.ingest.reading.scans.recognised import RecognisedPage

_CHILD = str(Path(__file__).with_name("recognition_child.py"))
# One thread: several processes use several processors better, and what a queue may take is theirs to say.
_ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
_START_SECONDS = 60.0  # until the models are loaded, on a busy machine


class Unrecognised(NamedTuple):
    """Why a page could not be recognised."""

    reason: str


Known = Callable[[str], RecognisedPage | None]  # the sha-256 of a picture -> what was recognised on it before


def recognised_pages(
    file: BinaryIO, form: str, pages: Sequence[int], limits: Limits, known: Known, password: str = ""
) -> Iterator[tuple[int, RecognisedPage | Unrecognised, bool]]:
    """Yield (number, page, whether it was known) of a file's pages as they are recognised.

    A page that takes too long or too much memory ends the process that recognises it; another process
    continues with the next page.

    Args:
        file: the file.
        form: the name of its format.
        pages: their numbers, 1 for the first.
        limits: limits of recognition.
        known: looks up a picture before it is recognised.
        password: password of an encrypted file.

    Raises:
        DocumentUnreadable: the file cannot be opened.
    """
    left = list(pages)
    while left:
        child = _Child(file, form, left, limits, password)
        try:
            for number in list(left):
                page, is_known = child.page(number, known)
                yield number, page, is_known
                left.remove(number)
                if child.is_gone:
                    break
        finally:
            child.end()


class _Child:
    """The recognising process and its output, line by line."""

    def __init__(
        self, file: BinaryIO, form: str, pages: Sequence[int], limits: Limits, password: str
    ) -> None:
        self.is_gone = False
        number = file.fileno()
        file.flush()
        self._seconds = limits.ocr_seconds
        self._process = subprocess.Popen(  # noqa: S603 - our own script, and no part of the command is the document's
            [
                *(sys.executable, "-I", "-B", _CHILD, str(number)),
                *(str(limits.ocr_memory_mb), str(_cpu_seconds(limits, len(pages)))),
            ],
            stdin=subprocess.PIPE,
            pass_fds=(number,),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_ENVIRONMENT,
        )
        head = {"form": form, "password": password}
        opened = self._asked(json.dumps(head).encode() + b"\n", _START_SECONDS + self._seconds)
        if isinstance(opened, Unrecognised):
            self.end()
            raise DocumentUnreadable(opened.reason)

    def page(self, number: int, known: Known) -> tuple[RecognisedPage | Unrecognised, bool]:
        """Return a page, and whether it was known."""
        drawn = self._asked(b'{"draw": %d}\n' % number, self._seconds)
        if isinstance(drawn, Unrecognised):
            return drawn, False
        kept = known(drawn["picture"])
        if kept is not None:
            return kept, True
        read = self._asked(b'{"read": true}\n', self._seconds)
        return (read, False) if isinstance(read, Unrecognised) else (RecognisedPage.of(read["page"]), False)

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                _close(pipe)

    def _asked(self, words: bytes, seconds: float) -> dict[str, Any] | Unrecognised:
        timer = threading.Timer(seconds, self._process.kill)
        timer.start()
        try:
            said = self._said(words)
        finally:
            is_late = not timer.is_alive()
            timer.cancel()
        if not said:
            self.is_gone = True
            self._process.wait()
            return Unrecognised(_why_gone(self._process.returncode, seconds, is_late=is_late))
        reply: dict[str, Any] = orjson.loads(said)
        return Unrecognised(reply["error"]) if "error" in reply else reply

    def _said(self, words: bytes) -> bytes:
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101, PT018 - piped
        try:
            self._process.stdin.write(words)
            self._process.stdin.flush()
            return self._process.stdout.readline()
        except BrokenPipeError:
            return b""


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except BrokenPipeError:
        return


def _cpu_seconds(limits: Limits, pages: int) -> int:
    return round(_START_SECONDS + limits.ocr_seconds * (pages + 1))


def _why_gone(code: int, seconds: float, *, is_late: bool) -> str:
    if is_late:
        return f"recognition took longer than {seconds:g} seconds (setting limits.ocr_seconds)"
    return f"recognition died (exit {code}): too much memory (setting limits.ocr_memory_mb) or a broken file"
