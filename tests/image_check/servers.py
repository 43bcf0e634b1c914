"""The servers of docker-compose.yml that others make: the local stack's stand for them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from image_check.compose import Service
from image_check.composed import Stop
from infra.gate import new_key
from infra.local.jars import ensure_jars
from infra.local.java import find_java
from infra.local.neo4j_server import neo4j_program
from infra.local.parts import model_program, vectors_address, vectors_program
from infra.local.process import Program, Running
from infra.local.redis_server import redis_program
from infra.local.settings import cache_folder

REDIS_PORT, NEO4J_PORT, VECTORS_PORT, MODEL_PORT = 6379, 7687, 6333, 8099
MODEL, EMBEDDER = "offline-model", "wordllama-256"
# The local vectors answer to names of the loopback only.
OVERRIDES = {"HOPLINE_QDRANT_URL": vectors_address(VECTORS_PORT)}
_READY_SECONDS = 180.0


def env_file() -> dict[str, str]:
    """Return what infra/docker/hopline.env is filled in with for one run."""
    names = ("REDIS_PASSWORD", "HOPLINE_NEO4J_PASSWORD", "HOPLINE_QDRANT_API_KEY", "HOPLINE_FLOWER_PASSWORD")
    return {
        **{name: new_key() for name in names},
        "COMPOSE_PROFILES": "offline",
        "HOPLINE_MODEL_URL": f"http://{MODEL}:{MODEL_PORT}/v1",
        "HOPLINE_MODEL_KEY": "",
        "HOPLINE_MODEL": "offline",
        "HOPLINE_EMBEDDING_MODEL": EMBEDDER,
    }


class Server:
    """A server that is ready when its own client is answered.

    Args:
        program: how to run it.
        log: its file.
        grace: seconds that it has to stop.
    """

    def __init__(self, program: Program, log: Path, grace: float) -> None:
        self._program = program
        self._log = log
        self._grace = grace
        self._running: Running | None = None

    def start(self) -> float:
        """Start it and return after how many seconds it is ready.

        Raises:
            StartFailed: it does not start.
        """
        began = time.monotonic()
        self._running = Running(self._program, self._log)
        self._running.wait_ready(_READY_SECONDS)
        return time.monotonic() - began

    def stop(self) -> Stop:
        """Ask it to stop, and end it by force after its grace."""
        began = time.monotonic()
        if self._running is None:
            return Stop(seconds=0, code=0, in_time=True)
        self._running.stop(self._grace)
        taken = time.monotonic() - began
        return Stop(seconds=taken, code=self._running.popen.returncode, in_time=taken < self._grace)


def make_servers(
    services: Mapping[str, Service], folder: Path, values: Mapping[str, str]
) -> dict[str, Server]:
    """Return the servers by the name of the service that each stands for.

    Also the model, which the file of an earlier revision may not have.

    Args:
        services: of the file, with the time that each has to stop.
        folder: in which their data lies.
        values: what `env_file` returned.
    """
    jars = ensure_jars(cache_folder())
    password = values["HOPLINE_NEO4J_PASSWORD"]
    programs = {
        MODEL: model_program(folder / "model", MODEL_PORT, new_key(), EMBEDDER),
        "redis": redis_program(folder / "redis", REDIS_PORT, values["REDIS_PASSWORD"]),
        "neo4j": neo4j_program(
            folder / "neo4j", NEO4J_PORT, password, java=find_java(None), jars=jars, lasting=False
        ),
        "qdrant": vectors_program(folder / "qdrant", VECTORS_PORT, values["HOPLINE_QDRANT_API_KEY"]),
    }
    return {
        name: Server(program, folder / "log" / f"{name}.log", _grace(services, name))
        for name, program in programs.items()
    }


def _grace(services: Mapping[str, Service], name: str) -> float:
    return services[name].grace if name in services else 10.0
