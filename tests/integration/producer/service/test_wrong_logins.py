"""A wrong login reads the same wherever it is met, and names the settings to correct."""

import os
import re
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from fleet.crew import settings_of
from fleet.forks import run_fork
from neo4j import GraphDatabase
from pydantic import SecretStr

from producer.mistakes import explain
from workers.core.errors import DependencyAway
from workers.core.graph.cypher import ReadLimits
from workers.services import Services
from workers.settings import Settings

NAME = "forgetful"  # a user who has no other business: the server stops looking at who is wrong too often
WRONG = "refuses the user or password"


def run(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return run_fork(words, os.environ | environment, 120)


@pytest.fixture(scope="module")
def environment(stack_env: dict[str, str], neo4j: Any) -> Iterator[dict[str, str]]:
    """The session's servers, as seen by a user of Neo4j with a wrong password."""
    with GraphDatabase.driver(neo4j.url, auth=(neo4j.user, neo4j.password)) as driver:
        driver.execute_query(f"CREATE USER {NAME} SET PASSWORD 'right-password'", database_="system")
        yield stack_env | {"HOPLINE_NEO4J_USER": NAME, "HOPLINE_NEO4J_PASSWORD": "wrong"}
        driver.execute_query(f"DROP USER {NAME}", database_="system")


@pytest.fixture
def settings(environment: dict[str, str]) -> Settings:
    tools = {
        "tools_neo4j_url": environment["HOPLINE_NEO4J_URL"],
        "tools_neo4j_user": NAME,
        "tools_neo4j_password": SecretStr("wrong"),
    }
    return settings_of(environment).model_copy(update=tools)


@pytest.fixture
def services(settings: Settings) -> Iterator[Services]:
    services = Services(settings)
    yield services
    services.close()


def expected(url: str, prefix: str) -> str:
    return f"Neo4j at {url} {WRONG}: set {prefix}_USER and {prefix}_PASSWORD with the right ones"


@pytest.mark.parametrize(("ask", "prefix"), [
    (lambda services: services.graph.store.collections(), "HOPLINE_NEO4J"),
    (lambda services: services.reader.read("RETURN 1", {}, ReadLimits()), "HOPLINE_TOOLS_NEO4J"),
    (lambda services: services.reader.ping(), "HOPLINE_TOOLS_NEO4J"),
    (lambda services: services.schema.schema(), "HOPLINE_TOOLS_NEO4J"),
])  # fmt: skip
def test_a_command_says_which_login_is_refused(services, ask, prefix):
    with pytest.raises(DependencyAway) as caught:
        ask(services)
    line, code = explain(caught.value)
    assert (line, code) == (expected(services.settings.neo4j_url, prefix), 1)


def test_a_login_that_is_refused_for_a_while_is_no_error_of_the_work(services: Services) -> None:
    for _ in range(4):  # the server then refuses to look at more of them
        with pytest.raises(DependencyAway, match=WRONG):
            services.graph.store.collections()


def test_doctor_says_which_logins_are_refused(environment: dict[str, str]) -> None:
    url = environment["HOPLINE_NEO4J_URL"]
    wrong = {
        "HOPLINE_REDIS_URL": f"redis://:wrong@{environment['HOPLINE_REDIS_URL'].partition('@')[2]}",
        "HOPLINE_TOOLS_NEO4J_URL": url,
        "HOPLINE_TOOLS_NEO4J_USER": NAME,
        "HOPLINE_TOOLS_NEO4J_PASSWORD": "wrong",
    }
    process = run(environment | wrong, "doctor")
    shown = " ".join(process.stdout.split()) or process.stderr
    for name, address, settings in (
        ("redis", "redis://", "HOPLINE_REDIS_URL with the right one"),
        ("neo4j", url, "HOPLINE_NEO4J_USER and HOPLINE_NEO4J_PASSWORD with the right ones"),
        ("tools", url, "HOPLINE_TOOLS_NEO4J_USER and HOPLINE_TOOLS_NEO4J_PASSWORD with the right ones"),
    ):
        assert re.search(rf"error: {name} at {re.escape(address)}\S* {WRONG} set {settings}", shown), shown


def test_a_worker_that_may_not_log_in_says_so_when_it_starts(environment: dict[str, str]) -> None:
    ended = run(environment | {"HOPLINE_GRAPH_WAIT_SECONDS": "1"}, "worker", "interactive")
    assert ended.returncode == 1
    message = expected(environment["HOPLINE_NEO4J_URL"], "HOPLINE_NEO4J")
    assert ended.stderr.splitlines()[-1] == f"error: {message}"
    assert "Traceback" not in ended.stderr
