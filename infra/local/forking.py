"""A supervisord whose programs are forks of itself, so that they share what they import.

Workers and the API import the same 300 MB of modules, which takes seconds. Once `preload` has imported them,
supervisord runs a program of the stack in a fork of its own process, which shares their memory until it
writes to it. Every other program is executed as usual. So are the stack's own if the code has changed since,
and on systems other than Linux, whose libraries do not all survive a fork.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import json
import logging
import os
import random
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from supervisor import supervisord
from supervisor.options import ServerOptions
from supervisor.xmlrpc import Faults, RPCError

from infra.local.launch import replaced

# What workers and the API import. Modules that read settings are not among them.
IMPORTED = (
    "bpe_openai", "celery.app.amqp", "celery.apps.worker", "celery.backends.redis", "celery.bin.celery",
    "celery.concurrency.thread", "celery.loaders.app", "celery.worker.components", "celery.worker.consumer",
    "fsspec.implementations.local", "h2.connection", "hopline.cli", "httpcore2", "kombu.pidbox",
    "kombu.transport.redis", "openai", "producer.api.app", "redbeat.schedulers", "rich.console", "tenacity",
    "truststore", "workers.adapters.neo4j.graph", "workers.adapters.openai.model",
    "workers.adapters.qdrant.vectors", "workers.process", "workers.tools.packs",
)  # fmt: skip
_LAUNCH = "infra.local.launch"
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGCHLD, signal.SIGUSR2)
_PR_SET_NAME = 15  # linux/prctl.h

_is_barred = False  # an import was begun: what failed may have left modules that change before the next try
_code: dict[str, tuple[int, int]] = {}  # file of an imported module -> time of its last change, size


class ForkingOptions(ServerOptions):  # type: ignore[misc] # supervisor has no types
    """The options of supervisord, with another way to become a program."""

    def execve(self, filename: str, argv: Sequence[str], env: Mapping[str, str]) -> None:
        """Become a program, in the process that was forked for it."""
        head = [sys.executable, "-m", _LAUNCH]
        hopline = [sys.executable, "-m", "hopline"]
        if list(argv[:3]) == head and list(argv[4:7]) == hopline and _code and _code == dict(_files(_code)):
            _become(argv[7:], replaced(env, json.loads(Path(argv[3]).read_text(encoding="utf-8"))))
        super().execve(filename, argv, env)


class Interface:
    """Calls of supervisord that it does not have itself, under the name `hopline`."""

    def preload(self) -> bool:
        """Import what the stack's programs share; return whether they will be forks."""
        global _is_barred
        if sys.platform != "linux" or _code or _is_barred:
            return bool(_code)
        _is_barred, began = True, time.time_ns()
        try:
            for name in IMPORTED:
                importlib.import_module(name)
            from workers.core.models.tokens import count_tokens  # noqa: PLC0415 - with the others

            count_tokens("the tokenizer's tables")
        except Exception as error:
            raise RPCError(Faults.FAILED, f"{type(error).__name__}: {error}") from error
        paths = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
        code = dict(_files(path for path in paths if path))
        if any(changed >= began for changed, _size in code.values()):  # while they were imported
            return False
        _code.update(code)
        gc.collect()
        gc.freeze()  # what was imported is no garbage, and looking at it would copy its memory into each fork
        return True


def make_interface(_supervisord: Any) -> Interface:
    """Return the calls; supervisord asks for them by the name of this function."""
    return Interface()


def _files(paths: Any) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield each file with what changes when it does; none that is gone."""
    for path in list(paths):
        try:
            stat = os.stat(path)  # noqa: PTH116 - thousands of them
        except OSError:
            continue
        yield path, (stat.st_mtime_ns, stat.st_size)


def _become(words: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """Run `hopline WORDS…` in this process to its end, as a new interpreter would."""
    code: int | str | None = 1
    try:
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        ctypes.CDLL(None).prctl(_PR_SET_NAME, f"hopline {words[words[0] == 'worker']}".encode())
        os.environ.clear()
        os.environ.update(environment)
        time.tzset()
        random.seed()
        sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # type: ignore[misc] # noqa: SIM115
        sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", buffering=1, closefd=False)  # type: ignore[misc] # noqa: SIM115
        sys.stderr = sys.__stderr__ = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # type: ignore[misc] # noqa: SIM115
        sys.argv = ["hopline", *words]
        from hopline.cli import main  # noqa: PLC0415 - imported long ago

        main()
        code = 0
    except SystemExit as ended:
        code = ended.code
    except BaseException:  # noqa: BLE001 - what ends an interpreter ends this process, and nothing else of supervisord runs
        traceback.print_exc()
    finally:
        threading._shutdown()  # type: ignore[attr-defined] # noqa: SLF001 - as an interpreter at its end
        atexit._run_exitfuncs()  # noqa: SLF001 - likewise
        logging.shutdown()
        os._exit(code if isinstance(code, int) else int(code is not None))


def main() -> None:
    """Run supervisord."""
    supervisord.ServerOptions = ForkingOptions
    supervisord.main()
