"""Private servers and workers for a benchmark, and the processor time that each of them takes."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil
from celery import Celery

from hopline.models.documents import TextDocument
from infra.local.jars import ensure_jars
from infra.local.java import find_java
from infra.local.neo4j_server import USER, Neo4jMemory, neo4j_address, neo4j_program
from infra.local.parts import model_address, model_program, vectors_address, vectors_program
from infra.local.process import Program, Running, free_port
from infra.local.redis_server import redis_address, redis_program
from infra.local.settings import cache_folder
from infra.local.work import worker_program
from producer.service.documents import label_of
from producer.service.service import Service
from workers.core.jobs.params import DocumentParams
from workers.core.jobs.work import Terms
from workers.services import Services
from workers.settings import Settings


@dataclass
class World:
    """A stack of its own: every server on this machine, data in a temporary folder."""

    folder: Path
    environment: dict[str, str]
    running: dict[str, Running] = field(default_factory=dict)
    label: str = ""  # what the names of its own processes begin with

    @property
    def settings(self) -> Settings:
        """The settings that processes of this world read."""
        fields = {name.removeprefix("HOPLINE_").lower(): value for name, value in self.environment.items()}
        return Settings.model_validate(fields)

    def beside(self, label: str, database: int, **settings: str) -> World:
        """Return a world of the same servers with settings of its own and another database of Redis.

        Args:
            label: what the names of its processes begin with.
            database: number of the Redis database that holds its ledger and queues.
            settings: HOPLINE_* variables.
        """
        address = self.environment["HOPLINE_REDIS_URL"].rpartition("/")[0] + f"/{database}"
        environment = self.environment | settings | {"HOPLINE_REDIS_URL": address}
        return World(self.folder, environment, self.running, f"{label} ")

    def start(self, program: Program, name: str, environment: Mapping[str, str] | None = None) -> None:
        """Start a program and remember it under a name."""
        merged = os.environ | self.environment | dict(environment or {})
        name = self.label + name
        self.running[name] = Running(program, self.folder / "log" / f"{name}.log", merged)

    def work(self, queue: str, count: int = 1, **settings: str) -> None:
        """Start workers of a queue and wait until they answer."""
        app = Celery(broker=self.environment["HOPLINE_REDIS_URL"])
        for number in range(count):
            self.start(worker_program(queue, app), f"{queue} worker {number + 1}", settings)
        for name, running in self.running.items():
            if name.startswith(f"{self.label}{queue} worker"):
                running.wait_ready(120)
        app.close()

    def kill(self) -> None:
        """End all that runs in it at once."""
        for running in self.running.values():
            running.kill()

    def model(self, **switches: object) -> dict[str, Any]:
        """Set those of the offline model's switches that are named; return all, and what happened."""
        control = self.environment["HOPLINE_MODEL_URL"].removesuffix("/v1") + "/control"
        shown = {"api-key": self.environment["HOPLINE_QDRANT_API_KEY"]}  # one key for both servers
        answer = httpx.post(control, json=switches, headers=shown, timeout=30, trust_env=False)
        answer.raise_for_status()
        return dict(answer.json())

    def processor_seconds(self) -> dict[str, float]:
        """Return the processor time that each server and worker has used so far, children included."""
        used = {}
        for name, running in self.running.items():
            process = psutil.Process(running.pid)
            times = [p.cpu_times() for p in (process, *process.children(recursive=True))]
            used[name] = sum(t.user + t.system for t in times)
        return used


def submit_texts(
    service: Service, texts: Sequence[TextDocument], collection: str, terms: Terms | None = None
) -> str:
    """Submit texts as one batch, of more than one request may bring; return its job's id."""
    documents = [
        DocumentParams(
            uri=text.name,
            source="blob:" + service.blobs.put(text.text.encode(), f".{text.format}"),
            format=text.format,
        )
        for text in texts
    ]
    label = label_of(document.uri for document in documents)
    return service.documents.submit_batch(documents, collection, None, label=label, terms=terms).job.id


@contextmanager
def started_world(memory: Neo4jMemory | None = None, *, lasting: bool = False) -> Iterator[World]:
    """Start Redis, Neo4j, the vectors endpoint and the offline model; end them afterwards.

    Args:
        memory: of Neo4j, where what the local stack gives it is not to be.
        lasting: whether Neo4j is to be compiled well, as in the local stack; that takes thousands of queries.
    """
    for name in [name for name in os.environ if name.startswith("HOPLINE_")]:
        del os.environ[name]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hopline-bench-")))
        ports = {name: free_port() for name in ("redis", "neo4j", "vectors", "model")}
        password = secrets.token_urlsafe(12)
        world = World(folder, _environment(folder, ports, password))
        os.environ.update(world.environment)
        stack.callback(world.kill)
        for name, program in _programs(folder, ports, password, memory, lasting=lasting).items():
            world.start(program, name)
        for running in world.running.values():
            running.wait_ready(120)
        Services(world.settings).graph.migrate()
        yield world


def _environment(folder: Path, ports: Mapping[str, int], password: str) -> dict[str, str]:
    return {
        "HOPLINE_VAR": str(folder),
        "HOPLINE_REDIS_URL": redis_address(ports["redis"], password),
        "HOPLINE_NEO4J_URL": neo4j_address(ports["neo4j"]),
        "HOPLINE_NEO4J_USER": USER,
        "HOPLINE_NEO4J_PASSWORD": password,
        "HOPLINE_QDRANT_URL": vectors_address(ports["vectors"]),
        "HOPLINE_QDRANT_API_KEY": password,
        "HOPLINE_MODEL_URL": model_address(ports["model"]),
    }


def _programs(
    folder: Path, ports: Mapping[str, int], password: str, memory: Neo4jMemory | None, *, lasting: bool
) -> dict[str, Program]:
    java, jars = find_java(None), ensure_jars(cache_folder())
    return {
        "redis": redis_program(folder / "redis", ports["redis"], password),
        "neo4j": neo4j_program(
            folder / "neo4j", ports["neo4j"], password, java=java, jars=jars, memory=memory, lasting=lasting
        ),
        "vectors": vectors_program(folder / "vectors", ports["vectors"], password),
        "model": model_program(folder / "model", ports["model"], password),
    }
