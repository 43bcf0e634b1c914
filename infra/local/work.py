"""The stack's own programs: the workers of each queue, the API, and Flower."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import httpx

from infra.local.files import write_file
from infra.local.process import LOOPBACK, Program

WORKERS = ("interactive", "bulk", "ocr", "quarantine", "submissions")
_REPLY_SECONDS = 0.5  # until the next worker replies
_FLOWER_CONFIG = """\
persistent = True
db = {db!r}
state_save_interval = 60000  # milliseconds; Flower shows nothing while it saves
max_tasks = 10000
tasks_columns = "name,args,state,received,started,runtime,worker,uuid"  # args: job, epoch, item
inspect_timeout = 2000.0  # milliseconds
"""


def alive_workers(app: Any) -> dict[int, str]:
    """Return the node names of all workers on a Celery application's broker, by process id."""
    replies = app.control.broadcast("stats", reply=True, timeout=_REPLY_SECONDS) or []
    return {stats["pid"]: node for reply in replies for node, stats in reply.items() if "pid" in stats}


def worker_program(name: str, app: Any, label: str | None = None) -> Program:
    """Return the program of a queue's worker, one of `WORKERS`, which is ready when it responds.

    Its settings come from HOPLINE_* in its environment or from stack.env.

    Args:
        name: name of its queue.
        app: the Celery application, used to ping it.
        label: its name, if it differs from the queue's.
    """
    named = ("--name", label) if label else ()
    command = (sys.executable, "-m", "hopline", "worker", name, *named)
    return Program(label or name, command, lambda pid: pid in alive_workers(app))


def beat_program() -> Program:
    """Return the program of the beat process, which reads its settings like a worker."""
    command = (sys.executable, "-m", "hopline", "beat")
    return Program("beat", command, lambda _pid: True)  # it waits for nobody, and nobody for it


def api_address(port: int) -> str:
    """Return the address of the API and the page."""
    return f"http://{LOOPBACK}:{port}"


def api_program(port: int) -> Program:
    """Return the program of the API, which reads its settings like a worker."""
    command = (sys.executable, "-m", "hopline", "serve", "--host", LOOPBACK, "--port", str(port))

    def ready(_pid: int) -> bool:
        return httpx.get(f"{api_address(port)}/health/live", timeout=2, trust_env=False).is_success

    return Program("api", command, ready)


def flower_address(port: int) -> str:
    """Return the address of Flower."""
    return f"http://{LOOPBACK}:{port}"


def flower_program(folder: Path, port: int, user: str, password: str, prefix: str = "") -> Program:
    """Write Flower's configuration and return its program; login and path come from HOPLINE_*."""
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "flower.py"
    db = str((folder / "flower.db").resolve())
    text = _FLOWER_CONFIG.format(db=db)
    write_file(config, text)
    listening = ("--address", LOOPBACK, "--port", str(port), "--conf", str(config.resolve()))
    command = (sys.executable, "-m", "hopline", "flower", *listening)

    def ready(_pid: int) -> bool:
        address = f"{flower_address(port)}{prefix}/healthcheck"
        return httpx.get(address, auth=(user, password), timeout=2, trust_env=False).is_success

    return Program("flower", command, ready)
