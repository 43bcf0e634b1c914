"""The parts of the local stack, with their commands and settings."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx

from infra.gate import write_key
from infra.local.files import write_file
from infra.local.jars import ensure_jars
from infra.local.java import find_java
from infra.local.neo4j_server import USER, Neo4jMemory, neo4j_address, neo4j_program
from infra.local.process import LOOPBACK, Program
from infra.local.redis_server import redis_address, redis_program
from infra.local.settings import EMBEDDERS, LocalSettings, cache_folder
from infra.local.state import State
from infra.local.work import (
    WORKERS,
    api_address,
    api_program,
    beat_program,
    flower_address,
    flower_program,
    worker_program,
)
from workers.core.server_address import prefix_of
from workers.ingest.reading.scans.extra import can_recognise
from workers.telemetry.queues import OCR

# Products of a millisecond, on cores that all servers share: two threads took 20 times as long (ADR 92).
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def vectors_address(port: int) -> str:
    """Return the URL that the Qdrant client uses."""
    return f"http://{LOOPBACK}:{port}"


def vectors_program(folder: Path, port: int, key: str) -> Program:
    """Write the key beside this folder (mode 600) and return the program of the endpoint."""
    folder.mkdir(parents=True, exist_ok=True)
    key_file = write_key(folder, key)
    data = ("--data", str(folder.resolve()), "--key-file", str(key_file))
    command = (sys.executable, "-m", "infra.local.vectors", "--host", LOOPBACK, "--port", str(port))

    def ready(_pid: int) -> bool:
        return httpx.get(f"{vectors_address(port)}/readyz", timeout=2, trust_env=False).is_success

    return Program("vectors", (*command, *data), ready, _ONE_THREAD, (key_file,))


def model_address(port: int) -> str:
    """Return the base URL that the OpenAI client uses."""
    return f"http://{LOOPBACK}:{port}/v1"


def model_program(folder: Path, port: int, key: str, embedder: str = "wordllama-256") -> Program:
    """Write the key of its switches beside this folder (mode 600) and return the program of the model.

    Args:
        folder: folder for its data, although it stores none.
        port: port on the loopback.
        key: key to change its switches and read its log.
        embedder: one of EMBEDDERS.
    """
    serve = (sys.executable, "-m", "infra.offline_model", "--host", LOOPBACK, "--port", str(port))
    key_file = write_key(folder, key)
    command = (*serve, "--embedder", EMBEDDERS[embedder], "--key-file", str(key_file))

    def ready(_pid: int) -> bool:
        return httpx.get(f"http://{LOOPBACK}:{port}/health", timeout=2, trust_env=False).is_success

    return Program("model", command, ready, reads=(key_file,))


FLOWER_USER = "hopline"
_TOOLS_MEMORY = Neo4jMemory(heap=320, page_cache=64, transaction=128)


@dataclass(frozen=True)
class Part:
    """A program of the stack, and its address for people."""

    program: Program
    address: str = ""


def servers(settings: LocalSettings, var: Path, state: State) -> tuple[Part, ...]:
    """Write the servers' configurations; return the servers that the stack runs, slowest to start first."""
    return tuple(_servers(settings, var, {name: port.used for name, port in state.ports.items()}, state))


def _servers(settings: LocalSettings, var: Path, ports: dict[str, int], state: State) -> Iterator[Part]:
    if settings.runs_neo4j:
        memory = Neo4jMemory(
            heap=settings.neo4j_heap_mb,
            page_cache=settings.neo4j_page_cache_mb,
            transaction=settings.neo4j_transaction_mb,
        )
        yield _neo4j("neo4j", settings, var, ports, state.neo4j_password, memory)
    if settings.runs_tools:
        yield _neo4j("tools", settings, var, ports, state.tools_password, _TOOLS_MEMORY)
    if settings.redis_url is None:
        port = ports["redis"]
        program = redis_program(var / "redis", port, state.redis_password)
        yield Part(program, f"redis://{LOOPBACK}:{port}/0")
    if settings.qdrant_url is None:
        port = ports["vectors"]
        yield Part(
            vectors_program(var / "vectors", port, _vectors_key(settings, state)), vectors_address(port)
        )
    if settings.runs_model:
        port = ports["model"]
        known = settings.embedding_model in EMBEDDERS
        embedder = settings.embedding_model if known and settings.embedding_model else "wordllama-256"
        yield Part(model_program(var / "model", port, state.control_key, embedder), model_address(port))


def _neo4j(
    name: str, settings: LocalSettings, var: Path, ports: dict[str, int], password: str, memory: Neo4jMemory
) -> Part:
    java, jars = find_java(settings.java_home), ensure_jars(cache_folder(settings.cache))
    program = neo4j_program(var / name, ports[name], password, java=java, jars=jars, memory=memory)
    return Part(replace(program, name=name), neo4j_address(ports[name]))


def work(var: Path, state: State, app: Any) -> tuple[Part, ...]:
    """Return the workers, Flower, the API and beat; call it after stack.env is written, which they read.

    Args:
        var: the stack's folder.
        state: its ports and passwords.
        app: the Celery application, used to ping the workers.
    """
    port = state.ports["flower"].used
    prefix = prefix_of(app.settings.flower_url)
    flower = flower_program(var / "flower", port, FLOWER_USER, state.flower_password, prefix)
    api = state.ports["api"].used
    return (
        *(Part(worker_program(name, app)) for name in WORKERS if name != OCR or can_recognise()),
        Part(flower, flower_address(port)),
        Part(api_program(api), api_address(api)),
        Part(beat_program()),
    )


def write_environment(settings: LocalSettings, var: Path, state: State) -> None:
    """Write var/stack.env (mode 600): the addresses and secrets that workers and the command line need."""
    values = _environment(settings, state)
    lines = [f"{name}='{_quoted(value)}'\n" for name, value in values.items()]
    head = "# Written by `hopline up`; the environment and .env come before it.\n"
    write_file(var / "stack.env", head + "".join(lines), secret=True)


def _vectors_key(settings: LocalSettings, state: State) -> str:
    """Return the key of the local endpoint: the configured one, if set, because clients send that."""
    key = settings.qdrant_api_key
    return key.get_secret_value() if key else state.vectors_key


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace("'", "\\'")


def _environment(settings: LocalSettings, state: State) -> dict[str, str]:
    port = {name: port.used for name, port in state.ports.items()}
    redis_url = settings.redis_url
    values = {
        "HOPLINE_REDIS_URL": redis_url.get_secret_value()
        if redis_url
        else redis_address(port["redis"], state.redis_password),
        "HOPLINE_NEO4J_URL": settings.neo4j_url or neo4j_address(port["neo4j"]),
        "HOPLINE_QDRANT_URL": settings.qdrant_url or vectors_address(port["vectors"]),
        "HOPLINE_MODEL_URL": settings.model_url or model_address(port["model"]),
        "HOPLINE_FLOWER_URL": flower_address(port["flower"]),
        "HOPLINE_API_URL": api_address(port["api"]),
        "HOPLINE_FLOWER_USER": FLOWER_USER,
        "HOPLINE_FLOWER_PASSWORD": state.flower_password,
        "HOPLINE_HISTORY_TEXTS": "true",  # on one's own machine, the question is what one looks for
    }
    if settings.runs_neo4j:
        values |= {"HOPLINE_NEO4J_USER": USER, "HOPLINE_NEO4J_PASSWORD": state.neo4j_password}
    if settings.runs_tools:
        login = (neo4j_address(port["tools"]), USER, state.tools_password)
        values |= {
            f"HOPLINE_TOOLS_NEO4J_{name}": value
            for name, value in zip(("URL", "USER", "PASSWORD"), login, strict=True)
        }
    if settings.qdrant_url is None:
        values["HOPLINE_QDRANT_API_KEY"] = _vectors_key(settings, state)
    if settings.model_url is not None and settings.runs_model:
        # A chat endpoint of the user's, and no word on embeddings: they stay with the offline model.
        values |= {
            "HOPLINE_EMBEDDING_URL": model_address(port["model"]),
            "HOPLINE_EMBEDDING_KEY": "offline",
        }
    return values
