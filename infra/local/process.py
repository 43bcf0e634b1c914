"""Starts a server process, waits until it is ready, and stops it by its id."""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hopline.errors import HoplineError

LOOPBACK = "127.0.0.1"
# Below those of connections, which begin at 32,768 (net.ipv4.ip_local_port_range).
_PORTS = range(20_000, 32_768)
_TRIES = 100
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


class StartFailed(HoplineError):
    """A server did not become ready; the text contains the last lines of its log."""


@dataclass(frozen=True)
class Program:
    """The command of a server, and its readiness check.

    `ready` quickly checks whether the process with this id is ready; False or any error means no.
    """

    name: str
    command: tuple[str, ...]
    ready: Callable[[int], bool]
    environment: Mapping[str, str] = field(default_factory=dict)
    reads: tuple[Path, ...] = ()  # files that it reads when it starts, and never again


def free_port(ports: range = _PORTS) -> int:
    """Return one of these loopback ports that is currently free.

    The default range leaves out Linux's ephemeral ports, because a connection could take one before a slow
    server does.
    """
    for port in (ports.start + secrets.randbelow(len(ports)) for _ in range(_TRIES)):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind((LOOPBACK, port))
            return port
    raise StartFailed(f"no free port from {ports.start} to {ports.stop - 1} in {_TRIES} tries")


def port_open(port: int) -> bool:
    """Return whether something listens on this loopback port."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex((LOOPBACK, port)) == 0


def is_ready(program: Program, pid: int) -> bool:
    """Check readiness once; any error means not yet."""
    try:
        return program.ready(pid)
    except Exception:  # noqa: BLE001 - each server's client has its own errors for "not yet"
        return False


def last_lines(log: Path, count: int = 15) -> str:
    """Return the end of a log file, or a note that it is empty or missing."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return "(no log)"
    return "\n".join(lines[-count:]) or "(the log is empty)"


def _end_with_parent() -> None:
    """Make the kernel end the child when its parent dies for any reason."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


class Running:
    """A program running as a child of this process, in its own process group."""

    def __init__(self, program: Program, log: Path, environment: Mapping[str, str] | None = None) -> None:
        """Start the program; the thread that does so must live as long as it (see PR_SET_PDEATHSIG)."""
        self.program = program
        self.log = log
        log.parent.mkdir(parents=True, exist_ok=True)
        base = dict(os.environ) if environment is None else dict(environment)
        with log.open("ab") as out:
            self.popen = subprocess.Popen(  # noqa: S603 - the command is ours
                program.command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=base | dict(program.environment),
                start_new_session=True,
                preexec_fn=_end_with_parent,  # noqa: PLW1509 - one system call, no lock taken
            )

    @property
    def pid(self) -> int:
        """The process id, which is also its group's."""
        return self.popen.pid

    def wait_ready(self, seconds: float = 60.0) -> None:
        """Wait until the program answers.

        Raises:
            StartFailed: it ended, or the time limit has passed.
        """
        deadline = time.monotonic() + seconds
        while not is_ready(self.program, self.pid):
            if self.popen.poll() is not None:
                self._give_up(f"{self.program.name} ended with code {self.popen.returncode}")
            if time.monotonic() > deadline:
                self._give_up(f"{self.program.name} was not ready after {seconds:.0f} s")
            time.sleep(0.05)

    def _give_up(self, reason: str) -> None:
        self.kill()
        raise StartFailed(f"{reason}; the end of {self.log}:\n{last_lines(self.log)}")

    def stop(self, seconds: float = 15.0) -> None:
        """Stop it gracefully, and after this many seconds by force."""
        self._signal(signal.SIGTERM)
        try:
            self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """Kill it at once, like a crash."""
        self._signal(signal.SIGKILL)
        self.popen.wait()

    def _signal(self, number: signal.Signals) -> None:
        if self.popen.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, number)
