"""The session's servers: each started when first asked for, and some by one process for all.

The processes of pytest-xdist share by notes in a folder. Whoever uses a server holds a lock of the system's
on its note, which ends with the process: the one that started it ends it when no other holds one.
"""

import fcntl
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn, TextIO

import pytest
from filelock import FileLock

from hopline.errors import HoplineError
from infra.local.process import Program, Running, StartFailed, free_port

START_SECONDS = 300.0  # that a server may take where the machine has other work
Makes = Callable[[Path, int], Program]


def skip_without(program: str) -> NoReturn:
    """Skip a test whose program is not installed; CI has them all, so fail it there.

    Args:
        program: which is missing, as a sentence.
    """
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(program)


class SharedServer:
    """A server that several processes use, started by the first of them.

    Args:
        name: of the server, and of its note.
        folder: that all these processes know.
    """

    def __init__(self, name: str, folder: Path) -> None:
        self._name, self._folder = name, folder
        self._lock = FileLock(folder / f"{name}.lock")
        self._note: TextIO | None = None
        self._running: Running | None = None

    def wait(self, program: Makes) -> tuple[int, int]:
        """Wait until it answers; return its port and process id.

        Raises:
            StartFailed: it did not start.
            HoplineError: its program is missing.
        """
        with self._lock:
            if self._note is None:
                self._note = (self._folder / f"{self._name}.note").open("a+", encoding="utf-8")
                fcntl.flock(self._note, fcntl.LOCK_SH)
            self._note.seek(0)
            if not (words := self._note.read().split()):
                words = [str(number) for number in self._start(program)]
                self._note.write(" ".join(words))
                self._note.flush()
        port, pid = map(int, words)
        return port, pid

    def _start(self, program: Makes) -> tuple[int, int]:
        port = free_port()
        made = program(self._folder / self._name, port)
        self._running = Running(made, self._folder / f"{self._name}.log")
        self._running.wait_ready(START_SECONDS)
        return port, self._running.pid

    def leave(self) -> None:
        """Use it no more; the process that started it waits for the others, and ends it."""
        if self._running is not None and self._note is not None:
            fcntl.flock(self._note, fcntl.LOCK_EX)
            self._running.kill()  # its data goes with it
        if self._note is not None:
            self._note.close()


class Servers:
    """The servers of this process, and those that it shares.

    Args:
        folder: for the data of its own.
        shared: by name, those that other processes use too.
        password: of all that have one.
        standing: by name, port and process id of those that were started before and outlast this run.
    """

    def __init__(
        self,
        folder: Path,
        shared: dict[str, SharedServer],
        password: str,
        standing: Mapping[str, tuple[int, int]] = MappingProxyType({}),
    ) -> None:
        self.folder = folder
        self.shared = shared
        self.password = password
        self.ports = {name: port for name, (port, _) in standing.items()}
        self.pids = {name: pid for name, (_, pid) in standing.items()}
        self._standing = frozenset(standing)
        self.running: dict[str, Running] = {}
        self.missing: dict[str, str] = {}  # whose programs are not there
        self.failed: dict[str, StartFailed] = {}

    def start(self, name: str, program: Makes) -> None:
        """Start it, unless it was, or others use it as well; does not wait."""
        if name in self.running or name in self.missing or name in self.shared or name in self._standing:
            return
        port = self.ports.setdefault(name, free_port())
        try:
            made = program(self.folder / name, port)
            self.running[name] = Running(made, self.folder / "log" / f"{name}.log")
        except HoplineError as error:
            self.missing[name] = str(error)

    def wait(self, name: str, program: Makes) -> int:
        """Wait until it answers and return its port; a missing program skips, but fails in CI.

        Raises:
            StartFailed: it did not start, now or when it was first waited for.
        """
        if name in self.failed:
            raise self.failed[name]
        self.start(name, program)
        try:
            if name in self.shared and name not in self.missing:
                self.ports[name], self.pids[name] = self.shared[name].wait(program)
            elif name in self.running:
                self.running[name].wait_ready(START_SECONDS)
                self.pids[name] = self.running[name].pid
        except StartFailed as error:
            self.failed[name] = error
            self.running.pop(name, None)
            raise
        except HoplineError as error:
            self.missing[name] = str(error)
        if name in self.missing:
            skip_without(self.missing[name])
        return self.ports[name]

    def kill(self, name: str) -> None:
        """End one of its own at once, as a crash would."""
        self.running[name].kill()

    def start_again(self, name: str) -> None:
        """Start one that was killed on its data, as its supervisor would; does not wait."""
        before = self.running[name]
        self.running[name] = Running(before.program, before.log)

    def stop(self) -> None:
        for server in self.running.values():
            server.kill()  # their data goes with them
