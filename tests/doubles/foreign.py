"""A second Neo4j as others run it, for graphs that are not hopline's."""

import re
import secrets
from pathlib import Path

import neo4j as driver

from hopline.models.base import Frozen
from infra.local.jars import ensure_jars
from infra.local.java import find_java
from infra.local.neo4j_server import USER, Neo4jMemory, neo4j_address, neo4j_program
from infra.local.process import Program
from infra.local.settings import cache_folder

PASSWORD = secrets.token_urlsafe(18)
MOVIES = Path(__file__).resolve().parents[3] / "shared" / "eval" / "movies.cypher"


class ForeignServer(Frozen):
    url: str
    user: str = USER
    password: str = PASSWORD


def start_foreign(folder: Path, port: int) -> Program:
    """Start it without APOC and without hopline's migrations."""
    plugins = folder / "no-plugins"
    plugins.mkdir(parents=True, exist_ok=True)
    jars = ensure_jars(cache_folder()).model_copy(update={"plugins": plugins})
    memory = Neo4jMemory(heap=320, page_cache=32, transaction=128)
    program = neo4j_program(
        folder, port, PASSWORD, java=find_java(None), jars=jars, memory=memory, lasting=False
    )
    keep_plans(folder)
    return program


def keep_plans(folder: Path) -> None:
    """Let a server plan a query once: each test's graph is new, and planning again is a third of its work."""
    conf = folder / "conf" / "neo4j.conf"
    text = conf.read_text(encoding="utf-8")
    conf.write_text(re.sub("(min_replan_interval)=.*", r"\1=1h", text), encoding="utf-8")


def at_port(port: int) -> ForeignServer:
    return ForeignServer(url=neo4j_address(port))


def empty(server: ForeignServer) -> None:
    """Take out of it whatever tests before put in."""
    with driver.GraphDatabase.driver(server.url, auth=(server.user, server.password)) as raw:
        raw.execute_query("MATCH (n) DETACH DELETE n")
        for kind in ("CONSTRAINT", "INDEX"):
            result = raw.execute_query(f"SHOW {kind} YIELD name, type WHERE type <> 'LOOKUP' RETURN name")
            for record in result.records:
                raw.execute_query(f"DROP {kind} `{record['name']}`")


def load_movies(server: ForeignServer) -> None:
    """Put the Movies graph into it."""
    with driver.GraphDatabase.driver(server.url, auth=(server.user, server.password)) as raw:
        for statement in MOVIES.read_text(encoding="utf-8").split(";\n"):
            if statement.strip():
                raw.execute_query(statement)
