"""Runs a private Neo4j with a Java runtime and jars that need no installation."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import neo4j
from neo4j.exceptions import AuthError

from hopline.models.base import Frozen
from infra.local.files import write_file
from infra.local.jars import Jars
from infra.local.process import LOOPBACK, Program, port_open

USER = "neo4j"
_FIRST_PASSWORD = "neo4j"  # noqa: S105 - what every new server has until its first login
# On few cores the optimising compiler takes the time that work needs: 18 instead of 38 ms of processor time
# for each of 300 chunks (bench/ingest.py). After some thousand queries it pays: the walk of a search takes 7
# instead of 25 ms of Neo4j's.
COMPILE_QUICKLY = "-XX:TieredStopAtLevel=1"
_OPENED = ("java.base/java.nio", "java.base/java.io", "java.base/sun.nio.ch")  # Neo4j maps files itself


class Neo4jMemory(Frozen):
    """Memory of a server in megabytes."""

    heap: int = 512
    page_cache: int = 128
    transaction: int = 256  # that one transaction may take of the heap


def neo4j_address(port: int) -> str:
    """Return the URL that drivers use."""
    return f"bolt://{LOOPBACK}:{port}"


def neo4j_program(
    folder: Path,
    port: int,
    password: str,
    *,
    java: Path,
    jars: Jars,
    memory: Neo4jMemory | None = None,
    lasting: bool = True,
) -> Program:
    """Write the configuration and return how to run the server.

    The server is ready when it accepts queries with this password. A new server's password is set before, so
    nobody can use it without.

    Args:
        folder: the server's home, with its data, logs and configuration.
        port: port of bolt on the loopback.
        password: password of the user neo4j, at least 8 characters.
        java: the runtime's `java`.
        jars: the result of `ensure_jars`.
        memory: memory of the server; the default is enough for some 100,000 facts.
        lasting: whether it runs for more than minutes, so that optimised compilation pays off.
    """
    memory = memory or Neo4jMemory()
    home = folder.resolve()
    template = (files("infra.local") / "neo4j.conf").read_text(encoding="utf-8")
    text = template.format(
        host=LOOPBACK,
        port=port,
        page_cache_mb=memory.page_cache,
        transaction_mb=memory.transaction,
        plugins=jars.plugins,
    )
    write_file(home / "conf" / "neo4j.conf", text)
    command = _command(home, java, jars, memory, [] if lasting else [COMPILE_QUICKLY])
    reads = (home / "conf" / "neo4j.conf", home / "conf" / "java.args")
    return Program("neo4j", command, lambda _pid: _ready(home, port, password), reads=reads)


def _command(
    home: Path, java: Path, jars: Jars, memory: Neo4jMemory, options: Sequence[str]
) -> tuple[str, ...]:
    # The class path is thousands of characters long; in a file it leaves process lists readable.
    arguments = home / "conf" / "java.args"
    write_file(arguments, f'-cp "{os.pathsep.join(map(str, jars.class_path))}"\n')
    return (
        str(java),
        f"-Xms{memory.heap // 2}m",
        f"-Xmx{memory.heap}m",
        *options,
        "-XX:+UseSerialGC",  # on few cores a concurrent collector takes the time that work needs
        "-XX:+ExitOnOutOfMemoryError",  # the supervisor starts a sound one
        "-Dfile.encoding=UTF-8",
        *(f"--add-opens={package}=ALL-UNNAMED" for package in _OPENED),
        f"@{arguments}",
        "org.neo4j.server.CommunityEntryPoint",
        f"--home-dir={home}",
        f"--config-dir={home / 'conf'}",
        "--console-mode",
    )


def _ready(home: Path, port: int, password: str) -> bool:
    if not port_open(port):
        return False
    marker = home / "data" / "password-set"
    if not marker.exists():
        _set_first_password(port, password)
        marker.touch()
    with _driver(port, password) as driver:
        driver.execute_query(_query("ping"), database_="neo4j")
    return True


def _set_first_password(port: int, password: str) -> None:
    try:
        with _driver(port, _FIRST_PASSWORD) as driver:
            driver.execute_query(
                _query("set_password"), old=_FIRST_PASSWORD, new=password, database_="system"
            )
    except AuthError:
        # It was set before, and the process that did so ended before it could say so.
        with _driver(port, password) as driver:
            driver.verify_connectivity()


def _driver(port: int, password: str) -> neo4j.Driver:
    return neo4j.GraphDatabase.driver(
        neo4j_address(port),
        auth=(USER, password),
        connection_timeout=3,
        connection_acquisition_timeout=3,
        max_transaction_retry_time=0,
    )


def _query(name: str) -> str:
    return (files("infra.local") / "cypher" / f"{name}.cypher").read_text(encoding="utf-8")
