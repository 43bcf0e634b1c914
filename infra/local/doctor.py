"""Diagnoses this machine, the servers and the settings, and advises what to do."""

from __future__ import annotations

import difflib
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

import httpx
import psutil

from hopline.errors import REFUSES_LOGIN, HoplineError, Transient
from hopline.machine import var_folder
from hopline.models.base import Frozen
from infra.local.extra import INSTALL
from infra.local.java import find_java, java_version
from infra.local.probes import LOCKED, PartStatus, embedder_in_use, embedders_of, probe_all
from infra.local.redis_server import find_redis
from infra.local.settings import LocalSettings, load_local_settings
from infra.local.supervise import connect
from workers.adapters.qdrant.register import mismatch
from workers.adapters.redis.client import open_redis
from workers.core.errors import BLOCKS_LOGIN, login_advice
from workers.ingest.reading.confinement import landlock_version
from workers.ingest.reading.scans.extra import can_recognise
from workers.services import Services
from workers.settings import Settings, load_settings
from workers.telemetry.presence import settings_of_workers
from workers.telemetry.queues import OCR

_DISK_GB, _MEMORY_GB = 1.0, 1.5  # free; a full stack takes about as much
# Read where the settings themselves are found, by the supervisor, and by the client.
_ELSEWHERE = ("var", "stack", "api_key")
_OTHERS = 0o077  # the permissions of everybody else
_REMEDIES = {
    "redis": "run `hopline up`, or correct HOPLINE_REDIS_URL",
    "neo4j": "run `hopline up`, or correct HOPLINE_NEO4J_URL, HOPLINE_NEO4J_USER and HOPLINE_NEO4J_PASSWORD",
    "vectors": "run `hopline up`, or correct HOPLINE_QDRANT_URL and HOPLINE_QDRANT_API_KEY",
    "model": "run `hopline up`, or correct HOPLINE_MODEL_URL and HOPLINE_MODEL_KEY",
    "api": "run `hopline up`, or `hopline serve`; workers and the command line do without it",
    "tools": "start it (`hopline up`, where it is the local stack's), or correct HOPLINE_TOOLS_NEO4J_URL, "
    "HOPLINE_TOOLS_NEO4J_USER and HOPLINE_TOOLS_NEO4J_PASSWORD; questions to tools fail without it",
    "broker": "start it, or correct HOPLINE_BROKER_URL",
    "embeddings": "start it, or correct HOPLINE_EMBEDDING_URL and HOPLINE_EMBEDDING_KEY",
    "beat": "run `hopline up`, or `hopline beat`; what was due meanwhile is made up for",
    "flower": "run `hopline up`; nothing else depends on it",
}
_LOGINS = {
    "redis": "correct HOPLINE_REDIS_URL",
    "broker": "correct HOPLINE_BROKER_URL",
    "neo4j": "correct HOPLINE_NEO4J_USER and HOPLINE_NEO4J_PASSWORD",
    "tools": "correct HOPLINE_TOOLS_NEO4J_USER and HOPLINE_TOOLS_NEO4J_PASSWORD; questions to tools fail "
    "without it",
}
_SKIPPED = "not at"  # how the name of a look begins that was not made
_OF_THE_GRAPH = ("neo4j", "vectors", "model")
_NOT_OF_THE_STACK = ("tools", "broker", "embeddings")


class Finding(Frozen):
    """A problem that was found."""

    level: Literal["error", "warning"]
    problem: str
    advice: str

    def __str__(self) -> str:
        return f"{self.level}: {self.problem}\n    {self.advice}"


class Look(Frozen):
    """A check, and its most severe finding."""

    what: str
    verdict: Literal["ok", "warning", "error", "skipped"]


class Examination(Frozen):
    """All checks and findings; no finding means that all is well."""

    looked: tuple[Look, ...]
    findings: tuple[Finding, ...]


def doctor() -> Examination:
    """Examine the machine, the settings, the servers, the workers and the graph."""
    settings, local, var = load_settings(), load_local_settings(), var_folder().resolve()
    with ThreadPoolExecutor() as pool:
        probed, programs = pool.submit(probe_all, settings), pool.submit(list, _programs(local))
        parts = probed.result()
    looks = (
        ("settings in the environment, and their spelling", misspelt(os.environ)),
        (f"this machine: Python's environment, memory, and the disk at {var}", _machine(var)),
        ("programs of the local stack: Valkey, Java", programs.result()),
        (f"processes and permissions of the local stack in {var}", _stack(var)),
        *((_describe_part(part), _part(part, var)) for part in parts),
        (_describe_recognition(), _recognition(parts)),
        ("who may enter the API", _entrance(parts)),
        ("settings that workers run with", _workers_settings(settings, parts)),
        _graph_look(settings, parts),
    )
    return examined(looks)


def examined(looks: Iterable[tuple[str, Iterable[Finding]]]) -> Examination:
    """Return the findings of several named checks; a failing check is a finding, and the others continue."""
    looked, found = [], list[Finding]()
    for what, findings in looks:
        here = _found(what, findings)
        looked.append(Look(what=what, verdict=_verdict(what, here)))
        found += here
    return Examination(looked=tuple(looked), findings=tuple(found))


def _found(what: str, findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings of one check; its failure is a finding."""
    found = []
    try:
        for finding in findings:
            found.append(finding)  # noqa: PERF402 - what was found before it failed counts
    except Exception as error:  # noqa: BLE001 - whatever a client raises
        problem = f"{what}: could not be looked at: {error or type(error).__name__}"
        found.append(
            Finding(level="error", problem=problem, advice="mend what stands above, and run this again")
        )
    return found


def _verdict(what: str, found: list[Finding]) -> Literal["ok", "warning", "error", "skipped"]:
    if what.startswith(_SKIPPED):
        return "skipped"
    levels = {finding.level for finding in found}
    return "error" if "error" in levels else "warning" if levels else "ok"


def _describe_part(part: PartStatus) -> str:
    return " ".join(word for word in (part.name, part.address, part.version) if word)


def misspelt(environment: Iterable[str]) -> Iterator[Finding]:
    """Name the HOPLINE_ variables that no setting reads, because a typo would otherwise go unnoticed."""
    fields = {*Settings.model_fields, *LocalSettings.model_fields, *_ELSEWHERE}
    known = {f"HOPLINE_{field.upper()}" for field in fields}
    for name in sorted(environment):
        if name.startswith("HOPLINE_") and name not in known and not name.startswith("HOPLINE_TEST_"):
            near = difflib.get_close_matches(name, known, n=1)
            yield Finding(
                level="warning",
                problem=f"{name} is set, but nothing reads it",
                advice=f"did you mean {near[0]}?" if near else "docs/settings.md lists the settings",
            )


def _machine(var: Path) -> Iterator[Finding]:
    if sys.prefix == sys.base_prefix:
        yield Finding(
            level="warning",
            problem="hopline does not run in a virtual environment",
            advice="install it with pipx or into a virtual environment; in a clone, use .venv/bin/hopline",
        )
    if not landlock_version():
        yield Finding(
            level="warning",
            problem="the kernel cannot confine the processes that read documents (no Landlock)",
            advice="run workers on Linux 5.13 or newer with Landlock on; till then only Python guards "
            "against a document that makes a library read other files",
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
    if local.runs_neo4j or local.runs_tools:
        checks.append(lambda: java_version(find_java(local.java_home)))
    for check in checks:
        try:
            check()
        except (HoplineError, OSError) as error:
            yield Finding(level="error", problem=str(error), advice=f"run {INSTALL}")


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
                advice=f"read {info['stdout_logfile']}, then run `hopline up`",
            )


def _part(part: PartStatus, var: Path) -> Iterator[Finding]:
    if part.state == "up":
        return
    if part.detail in (REFUSES_LOGIN, BLOCKS_LOGIN) and part.name in _LOGINS:
        problem = f"{part.name} at {part.address} {part.detail}"
        yield Finding(level="error", problem=problem, advice=login_advice(part.detail, _LOGINS[part.name]))
        return
    queue = part.name.removeprefix("worker ")
    remedy = _REMEDIES.get(part.name, f"run `hopline up`, or `hopline worker {queue}`")
    began = (var / "stack.env").exists() or part.name in _NOT_OF_THE_STACK
    yield Finding(
        level="warning" if part.name in {"api", "flower"} else "error",
        problem=f"{part.name} {part.address} does not answer: {part.detail}".replace("  ", " "),
        advice=remedy if began else f"the local stack was never started: {remedy}",
    )


def _describe_recognition() -> str:
    there = "" if can_recognise() else " is not installed: pip install 'hopline-server[ocr]'"
    return f"recognition of pages that are pictures{there}"


def _recognition(parts: list[PartStatus]) -> Iterator[Finding]:
    serving = any(part.name == f"worker {OCR}" and part.version for part in parts)
    redis = any(part.name == "redis" and part.state == "up" for part in parts)
    if can_recognise() and redis and not serving:
        yield Finding(
            level="warning",
            problem="no worker recognises pages that are pictures: documents that have some would wait",
            advice="run `hopline up`, or `hopline worker ocr`",
        )


def _entrance(parts: list[PartStatus]) -> Iterator[Finding]:
    for part in parts:
        if part.name == "api" and part.detail.startswith(LOCKED):
            yield Finding(
                level="error",
                problem=f"the API at {part.address} {part.detail}",
                advice="run `hopline keys create NAME` for a key, or `hopline keys open` to do without one",
            )


def _workers_settings(settings: Settings, parts: list[PartStatus]) -> Iterator[Finding]:
    """Compare the settings that workers publish with this shell's; secrets and older workers are left out."""
    if any(part.name == "redis" and part.state == "down" for part in parts):
        return
    mine = settings.digests()
    with open_redis(settings.redis_url.get_secret_value(), decode_responses=True) as client:
        digests = settings_of_workers(client)
    for worker, theirs in sorted(digests.items()):
        other = sorted(name for name in mine.keys() & theirs.keys() if mine[name] != theirs[name])
        if other:
            names = ", ".join(f"HOPLINE_{name.upper()}" for name in other)
            yield Finding(
                level="warning",
                problem=f"worker {worker} runs with other settings than this shell: {names}",
                advice="set them alike, here or in .env, and start the worker again: `hopline up` does, "
                "where the worker is the local stack's",
            )


def _graph_look(settings: Settings, parts: list[PartStatus]) -> tuple[str, Iterable[Finding]]:
    """Return the checks of the graph, which need its servers, and their findings."""
    what = "the graph's version, and which embedder made each collection"
    away = [part.name for part in parts if part.name in _OF_THE_GRAPH and part.state == "down"]
    if away:
        return f"{_SKIPPED} {what}: no answer from {', '.join(away)}", ()
    return what, _graph(settings)


def _graph(settings: Settings) -> Iterator[Finding]:
    services = Services(settings)
    try:
        services.graph.check()
        collections = services.graph.store.collections()
    except Transient as error:
        yield _unsteady("neo4j", error)
    except HoplineError as error:
        advice = "run `hopline migrate`; where the graph is newer than this program, update the program"
        yield Finding(level="error", problem=str(error), advice=advice)
    else:
        yield from examine_embedders(settings, collections)
    finally:
        services.close()


def examine_embedders(settings: Settings, collections: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield findings about the embedders that made the collections' vectors."""
    if not collections:
        return
    part = "embeddings" if settings.embedding_url else "model"
    try:
        in_use = embedder_in_use(settings)
        part = "vectors"
        made_by = embedders_of(settings, list(collections))
    except (httpx.HTTPError, ValueError, LookupError, TypeError) as error:
        yield _unsteady(part, error)
        return
    wanted = f"{in_use.name!r} of {in_use.dimension}"
    for collection, embedder in made_by.items():
        if embedder != in_use:
            advice = f"set the embedder back, or run `hopline collections reindex {collection}`"
            problem = f"collection {collection}: {mismatch(collection, embedder, wanted)}"
            yield Finding(level="error", problem=problem, advice=advice)


def _unsteady(part: str, error: Exception) -> Finding:
    """Return the finding for a server that answered the first request but not the next."""
    return Finding(level="error", problem=f"{part}: {error}", advice=_REMEDIES[part])
