"""The tests' servers: how each is started, and how they are kept running between runs (`make servers`).

While they stand, a run of pytest in one process uses them in place of starting its own, so that one
integration test answers in seconds. One run at a time: another that begins meanwhile starts its own.
"""

import argparse
import contextlib
import fcntl
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

import psutil
import redis
from doubles.databases import with_databases
from doubles.foreign import keep_plans
from doubles.keys import KEY
from fleet.servers import START_SECONDS, Makes

from hopline.models.base import Frozen
from infra.local.jars import ensure_jars
from infra.local.java import find_java
from infra.local.neo4j_server import Neo4jMemory, neo4j_program
from infra.local.parts import model_program, vectors_program
from infra.local.process import Program, Running, free_port
from infra.local.redis_server import redis_address, redis_program
from infra.local.settings import cache_folder

FOLDER = Path(__file__).resolve().parents[2] / "var" / "test-servers"
_NOTE, _LOG = FOLDER / "note.json", FOLDER / "holder.log"
FOR_SEVERAL = Neo4jMemory(heap=1024, page_cache=256)  # of a Neo4j that several processes use


def programs(password: str, memory: Neo4jMemory | None = None) -> dict[str, Makes]:
    """Return how to start each server, by its name."""

    def neo4j(folder: Path, port: int) -> Program:
        program = neo4j_program(
            folder,
            port,
            password,
            java=find_java(None),
            jars=ensure_jars(cache_folder()),
            memory=memory,
            lasting=False,
        )
        keep_plans(folder)
        return program

    return {
        "redis": lambda folder, port: with_databases(redis_program(folder, port, password)),
        "neo4j": neo4j,
        "vectors": lambda folder, port: vectors_program(folder, port, KEY),
        "model": lambda folder, port: model_program(folder, port, KEY),
    }


class Standing(Frozen):
    """Servers that stand: the process that holds them, their password, and each one's port and process id."""

    holder: int
    password: str
    servers: Mapping[str, tuple[int, int]]


def stand() -> Standing | None:
    """Return the servers that stand now."""
    with contextlib.suppress(OSError, ValueError):
        standing = Standing.model_validate_json(_NOTE.read_text(encoding="utf-8"))
        pids = [standing.holder, *(pid for _, pid in standing.servers.values())]
        if all(psutil.pid_exists(pid) for pid in pids):
            return standing
    return None


def claim() -> tuple[Standing, TextIO] | None:
    """Take the servers that stand for this run, Redis emptied; None where none stand or a run has them.

    Whoever lets the returned file be closed gives them back.
    """
    standing = stand()
    if standing is None:
        return None
    lock = (FOLDER / "lock").open("w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    with redis.Redis.from_url(redis_address(standing.servers["redis"][0], standing.password)) as client:
        client.flushall()
    return standing, lock


def _hold() -> None:
    """Start the servers and keep them until SIGTERM."""
    signal.signal(signal.SIGTERM, lambda _signal, _frame: sys.exit(0))
    password = secrets.token_urlsafe(18)
    ports: dict[str, int] = {}
    running: dict[str, Running] = {}
    try:
        for name, program in programs(password, FOR_SEVERAL).items():
            ports[name] = free_port()
            shutil.rmtree(FOLDER / name, ignore_errors=True)  # of earlier ones, with another password
            running[name] = Running(program(FOLDER / name, ports[name]), FOLDER / f"{name}.log")
        for server in running.values():
            server.wait_ready(START_SECONDS)
        servers = {name: (port, running[name].pid) for name, port in ports.items()}
        note = Standing(holder=os.getpid(), password=password, servers=servers)
        _NOTE.touch(mode=0o600)
        _NOTE.write_text(note.model_dump_json(), encoding="utf-8")
        signal.pause()
    finally:
        _NOTE.unlink(missing_ok=True)
        for server in running.values():
            server.kill()


def up() -> int:
    """Start a process that holds the servers, unless they stand, and wait until all answer."""
    if stand() is None:
        FOLDER.mkdir(parents=True, exist_ok=True)
        with _LOG.open("w", encoding="utf-8") as log:
            holder = subprocess.Popen(
                [sys.executable, "-m", "proof.standing", "hold"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        while stand() is None:
            if holder.poll() is not None:
                print(f"The servers did not start: see {_LOG} and the logs beside it.")  # noqa: T201
                return 1
            time.sleep(0.1)
    print("The tests' servers stand; pytest in one process uses them. `make servers-down` ends them.")  # noqa: T201
    return 0


def down() -> int:
    """End the servers that stand."""
    if (standing := stand()) is not None:
        with contextlib.suppress(psutil.NoSuchProcess):
            holder = psutil.Process(standing.holder)
            holder.terminate()
            holder.wait(START_SECONDS)
    print("No servers of the tests stand.")  # noqa: T201
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("up", "down", "hold"))
    what = parser.parse_args().what
    if what == "hold":
        _hold()
    else:
        sys.exit({"up": up, "down": down}[what]())
