"""Runs `hopline` in forks of a process that has imported it: starting a worker is mostly importing.

A fork is a process of its own, with its own session, environment, signals and exit code, and it runs
`hopline.cli.main`. They end with the test process.
"""

import atexit
import ctypes
import functools
import gc
import importlib
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

from infra.local.process import Program, Running

# In the environment of a fork: "before module:Class.method WORD", or "after …", is where it is lost as by
# `kill -9`, the first time that an argument has this word in it.
LOST_AT = "HOPLINE_TEST_LOST_AT"
_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_IMPORTED = (
    "bpe_openai", "celery.bin.celery", "celery.concurrency.thread", "celery.worker.consumer", "openai",
    "producer.api.app", "hopline.cli", "rich.console", "workers.adapters.neo4j.graph",
    "workers.adapters.openai.model", "workers.adapters.qdrant.vectors", "workers.process",
)  # fmt: skip


@atexit.register
def _end_all() -> None:
    """End what still runs at once: multiprocessing would wait for each to finish its work."""
    for process in multiprocessing.active_children():
        process.kill()


class Fork:
    """A running `hopline WORDS…`: what the tests use of `subprocess.Popen`.

    Args:
        words: of the command.
        environment: all of it.
        out: the file that its stdout is appended to.
        err: the same for stderr.
    """

    def __init__(self, words: Sequence[str], environment: Mapping[str, str], out: Path, err: Path) -> None:
        self._process = _context().Process(
            target=_run_command, args=(tuple(words), dict(environment), str(out), str(err)), daemon=True
        )
        self._process.start()
        while self.poll() is None and os.getpgid(self.pid) != self.pid:
            time.sleep(0.002)  # until its group can be sent signals

    @property
    def pid(self) -> int:
        """The process id, which is also its group's."""
        return int(self._process.pid or 0)

    @property
    def returncode(self) -> int | None:
        """The exit code, a signal's negated, or None as long as nobody knows of its end."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return the exit code.

        Raises:
            subprocess.TimeoutExpired: it still runs after so many seconds.
        """
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("hopline", timeout or 0)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)


class ForkedProgram(Running):
    """A `hopline` command that runs until it is stopped, ready as its program says.

    Args:
        program: its words after `python -m hopline` are run.
        log: of what it prints.
        environment: all of it.
    """

    def __init__(self, program: Program, log: Path, environment: Mapping[str, str]) -> None:
        self.program = program
        self.log = log
        log.parent.mkdir(parents=True, exist_ok=True)
        log.touch()
        words = program.command[program.command.index("hopline") + 1 :]
        self.popen: Any = Fork(words, environment | dict(program.environment), log, log)


def run_fork(
    words: Sequence[str], environment: Mapping[str, str], seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run `hopline WORDS…` to its end, as `subprocess.run` does that captures what is printed.

    Raises:
        subprocess.TimeoutExpired: it was killed after so many seconds.
    """
    with tempfile.TemporaryDirectory(prefix="hopline-fork-") as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        fork = Fork(words, environment, out, err)
        try:
            code = fork.wait(seconds)
        finally:
            fork.send_signal(signal.SIGKILL)
        printed = [path.read_bytes().decode() if path.exists() else "" for path in (out, err)]
    return subprocess.CompletedProcess(["hopline", *words], code, *printed)


def call_fork(function: Callable[..., object], *arguments: object, seconds: float) -> int | None:
    """Call a function of the doubles in a fork; return its exit code, a signal's negated.

    One that still runs after so many seconds is killed, and has none.
    """
    process = _context().Process(target=function, args=arguments, daemon=True)
    process.start()
    process.join(seconds)
    code = process.exitcode
    process.kill()
    return code


def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(_IMPORTED))
    return context


def _run_command(words: Sequence[str], environment: Mapping[str, str], out: str, err: str) -> None:
    gc.freeze()  # what was imported before the fork is no garbage
    os.close(forkserver._forkserver._forkserver_alive_fd)  # type: ignore[attr-defined]  # who lives no longer than it
    os.setsid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    for number, name, flags in (
        (0, os.devnull, os.O_RDONLY),
        (1, out, os.O_WRONLY | os.O_CREAT | os.O_APPEND),
        (2, err, os.O_WRONLY | os.O_CREAT | os.O_APPEND),
    ):
        opened = os.open(name, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - as at any start
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    sys.argv = ["hopline", *words]
    if place := os.environ.pop(LOST_AT, ""):
        _be_lost(place)
    from hopline.cli import main  # noqa: PLC0415 - the test process may not need it

    try:
        main()
    finally:
        threading._shutdown()  # what an interpreter does at its end, and a fork of multiprocessing does not
        atexit._run_exitfuncs()


def _be_lost(place: str) -> None:
    """Have this process be lost before or after a method that it calls."""
    when, path, word = place.split(" ")
    module, _, names = path.partition(":")
    owner, method = names.split(".")
    of = getattr(importlib.import_module(module), owner)
    whole = getattr(of, method)

    @functools.wraps(whole)
    def lost(*arguments: Any, **named: Any) -> Any:
        is_here = any(word in str(argument) for argument in (*arguments, *named.values()))
        if is_here and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = whole(*arguments, **named)
        if is_here:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(of, method, lost)
