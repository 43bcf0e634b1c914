"""A command at a terminal: what is typed into it, and what it shows."""

import codecs
import os
import pty
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self


class Terminal:
    """Runs a command whose stdin, stdout and stderr are one terminal.

    Args:
        command: its words.
        environment: added to this process's.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._ours, theirs = pty.openpty()
        env = os.environ | environment | {"TERM": "xterm", "COLUMNS": "200"}
        self._process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env)
        os.close(theirs)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.shown = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def interrupt(self) -> None:
        """Do what Ctrl-C does."""
        self._process.send_signal(signal.SIGINT)

    def interrupt_until(self, text: str) -> None:
        """Do what Ctrl-C does, again and again until it shows a text.

        Python reads a line without looking whether a signal came just before: one Ctrl-C can go unheard.
        """
        for _ in range(20):
            self.interrupt()
            try:
                return self.wait_for(text, 3.0)
            except AssertionError:
                continue
        raise AssertionError(f"never showed {text!r}, but: {self.shown}")

    def wait_for(self, text: str, seconds: float = 180.0) -> None:
        """Wait until it has shown a text since the last one that was waited for."""
        deadline = time.monotonic() + seconds
        while text not in self.shown:
            assert time.monotonic() < deadline, f"never showed {text!r}, but: {self.shown}"
            if select.select([self._ours], [], [], 0.1)[0]:
                self.shown += self._read()
        self.shown = self.shown.partition(text)[2]

    def ended(self, seconds: float = 180.0) -> int:
        """Wait for its end; return the exit code."""
        deadline = time.monotonic() + seconds
        while self._process.poll() is None:
            assert time.monotonic() < deadline, f"did not end, but showed: {self.shown}"
            if select.select([self._ours], [], [], 0.1)[0]:
                self.shown += self._read()  # a full terminal would hold it up
        return self._process.returncode

    def _read(self) -> str:
        try:
            return self._decoder.decode(os.read(self._ours, 65536))
        except OSError:
            return ""  # the other end is closed
