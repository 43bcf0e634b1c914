"""What is wrong with this machine, the servers and the settings, and what to do about each."""

from __future__ import annotations

import difflib
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal

import psutil

from infra.local.java import find_java, java_version
from infra.local.probes import PartStatus, probe_all
from infra.local.redis_server import find_redis
from infra.local.settings import LocalSettings, load_local_settings
from infra.local.supervise import connect
from workers.core.errors import HoplineError
from workers.core.model import Frozen
from workers.services import Services
from workers.settings import Settings, load_settings, var_folder

_DISK_GB, _MEMORY_GB = 1.0, 1.5  # free; a full stack takes about as much
_ELSEWHERE = ("var", "stack")  # read where the settings themselves are found, and by the supervisor
_OTHERS = 0o077  # the permissions of everybody else
_REMEDIES = {
    "redis": "run `make up`, or correct HOPLINE_REDIS_URL",
    "neo4j": "run `make up`, or correct HOPLINE_NEO4J_URL, HOPLINE_NEO4J_USER and HOPLINE_NEO4J_PASSWORD",
    "vectors": "run `make up`, or correct HOPLINE_QDRANT_URL and HOPLINE_QDRANT_API_KEY",
    "model": "run `make up`, or correct HOPLINE_MODEL_URL and HOPLINE_MODEL_KEY",
    "api": "run `make up`, or `hopline serve`; workers and the command line do without it",
    "flower": "run `make up`; nothing else depends on it",
}


class Finding(Frozen):
    """Something that is wrong."""

    level: Literal["error", "warning"]
    problem: str
    advice: str

    def __str__(self) -> str:
        return f"{self.level}: {self.problem}\n    {self.advice}"


def doctor() -> list[Finding]:
    """Examine the machine, the servers and the workers; an empty list means that all is well."""
    settings, local, var = load_settings(), load_local_settings(), var_folder().resolve()
    parts = probe_all(settings)
    found = [*_machine(var), *_programs(local), *_stack(var), *_parts(parts, var), *_graph(settings, parts)]
    return [*misspelt(os.environ), *found]


def misspelt(environment: Iterable[str]) -> Iterator[Finding]:
    """Name the HOPLINE_ variables that no setting reads: a typo would otherwise be silent."""
    fields = {*Settings.model_fields, *LocalSettings.model_fields, *_ELSEWHERE}
    known = {f"HOPLINE_{field.upper()}" for field in fields}
    for name in sorted(environment):
        if name.startswith("HOPLINE_") and name not in known and not name.startswith("HOPLINE_TEST_"):
            near = difflib.get_close_matches(name, known, n=1)
            yield Finding(
                level="warning",
                problem=f"{name} is set, but nothing reads it",
                advice=f"did you mean {near[0]}?" if near else "docs/operations.md lists the settings",
            )


def _machine(var: Path) -> Iterator[Finding]:
    if sys.prefix == sys.base_prefix:
        yield Finding(
            level="warning",
            problem="hopline does not run in a virtual environment",
            advice="run `make setup` and use .venv/bin/hopline",
        )
    there = next(folder for folder in (var, *var.parents) if folder.exists())
    if not os.access(there, os.W_OK):
        yield Finding(
            level="error",
            problem=f"{there} cannot be written",
            advice="correct its permissions, or set HOPLINE_VAR to another folder",
        )
    free = shutil.disk_usage(there).free / 1e9
    if free < _DISK_GB:
        yield Finding(
            level="error",
            problem=f"{free:.1f} GB of disk are free at {there}",
            advice=f"make room for at least {_DISK_GB:.0f} GB, or set HOPLINE_VAR to a larger disk",
        )
    memory = psutil.virtual_memory().available / 1e9
    if memory < _MEMORY_GB and connect(var) is None:
        yield Finding(
            level="warning",
            problem=f"{memory:.1f} GB of memory are available",
            advice="end other programs, or lower HOPLINE_NEO4J_HEAP_MB (512)",
        )


def _programs(local: LocalSettings) -> Iterator[Finding]:
    checks: list[Callable[[], object]] = []
    if local.redis_url is None:
        checks.append(find_redis)
    if local.neo4j_url is None:
        checks.append(lambda: java_version(find_java(local.java_home)))
    for check in checks:
        try:
            check()
        except (HoplineError, OSError) as error:
            yield Finding(level="error", problem=str(error), advice="run `make setup` again")


def _stack(var: Path) -> Iterator[Finding]:
    environment = var / "stack.env"
    if environment.exists() and environment.stat().st_mode & _OTHERS:
        yield Finding(
            level="error",
            problem=f"others can read the passwords in {environment}",
            advice=f"run `chmod 600 {environment}`",
        )
    calls = connect(var)
    if calls is None:
        return
    for info in calls.getAllProcessInfo():
        if info["statename"] in ("BACKOFF", "FATAL"):
            yield Finding(
                level="error",
                problem=f"{info['name']} does not start",
                advice=f"read {info['stdout_logfile']}, then run `make up`",
            )


def _parts(parts: list[PartStatus], var: Path) -> Iterator[Finding]:
    began = (var / "stack.env").exists()
    for part in parts:
        if part.state == "up":
            continue
        queue = part.name.removeprefix("worker ")
        remedy = _REMEDIES.get(part.name, f"run `make up`, or `hopline worker {queue}`")
        yield Finding(
            level="warning" if part.name in {"api", "flower"} else "error",
            problem=f"{part.name} {part.address} does not answer: {part.detail}".replace("  ", " "),
            advice=remedy if began else f"the local stack was never started: {remedy}",
        )


def _graph(settings: Settings, parts: list[PartStatus]) -> Iterator[Finding]:
    """Examine what the graph holds; needs the graph, the vectors and the model."""
    if any(part.name in ("neo4j", "vectors", "model") and part.state == "down" for part in parts):
        return
    services = Services(settings)
    try:
        services.graph.check()
        collections = services.graph.collections()
    except HoplineError as error:
        yield Finding(level="error", problem=str(error), advice="run `hopline migrate`")
    else:
        yield from _embedders(services, collections)
    finally:
        services.close()


def _embedders(services: Services, collections: Iterable[str]) -> Iterator[Finding]:
    for collection in collections:
        try:
            services.vectors.check(collection, services.model.embedder)
        except HoplineError as error:
            advice = f"set the embedder back, or run `hopline reindex -c {collection}`"
            yield Finding(level="error", problem=f"collection {collection}: {error}", advice=advice)
