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

from hopline.commands.mistakes import explain
from hopline.errors import REFUSES_LOGIN, DependencyAway
from workers.core.errors import BLOCKS_LOGIN
from workers.core.graph.cypher import ReadLimits
from workers.services import Services

NOBODY, FORGETFUL = "nobody", "forgetful"  # the server blocks a user who is there and wrong too often


def run(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return run_fork(words, os.environ | environment, 120)


@pytest.fixture(scope="module", params=[NOBODY])
def environment(request: pytest.FixtureRequest, stack_env: dict[str, str]) -> dict[str, str]:
    """The session's servers, as seen by a user of Neo4j with a wrong password."""
    tools = {
        "HOPLINE_TOOLS_NEO4J_URL": stack_env["HOPLINE_NEO4J_URL"],
        "HOPLINE_TOOLS_NEO4J_USER": request.param,
        "HOPLINE_TOOLS_NEO4J_PASSWORD": "wrong",
    }
    own = {"HOPLINE_NEO4J_USER": request.param, "HOPLINE_NEO4J_PASSWORD": "wrong"}
    return stack_env | own | tools


@pytest.fixture(scope="module")
def forgetful(neo4j: Any) -> Iterator[None]:
    with GraphDatabase.driver(neo4j.url, auth=(neo4j.user, neo4j.password)) as driver:
        driver.execute_query(f"CREATE USER {FORGETFUL} SET PASSWORD 'right-password'", database_="system")
        yield
        driver.execute_query(f"DROP USER {FORGETFUL}", database_="system")


@pytest.fixture
def services(environment: dict[str, str]) -> Iterator[Services]:
    services = Services(settings_of(environment))
    yield services
    services.close()


def expected(url: str, prefix: str, does: str = REFUSES_LOGIN, remedy: str = "correct") -> str:
    return f"Neo4j at {url} {does}: {remedy} {prefix}_USER and {prefix}_PASSWORD"


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


@pytest.mark.usefixtures("forgetful")
@pytest.mark.parametrize("environment", [FORGETFUL], indirect=True)
def test_a_user_blocked_for_a_while_is_told_apart_and_is_to_try_again(environment, services):
    url, remedy = (
        environment["HOPLINE_NEO4J_URL"],
        "try again in a moment; if the user or password is wrong, correct",
    )
    asks = {
        "HOPLINE_NEO4J": services.graph.store.collections,
        "HOPLINE_TOOLS_NEO4J": services.reader.ping,
    }
    for prefix, ask in asks.items():
        said: list[str] = []
        while BLOCKS_LOGIN not in "".join(said):  # each is a wrong login more
            with pytest.raises(DependencyAway) as caught:
                ask()
            said.append(explain(caught.value)[0])
        assert said[-1] == expected(url, prefix, BLOCKS_LOGIN, remedy)
    shown = ""
    while BLOCKS_LOGIN not in shown:
        shown = " ".join(run(environment, "doctor").stdout.split())
    assert re.search(rf"error: \w+ at {re.escape(url)}\S* {BLOCKS_LOGIN} {remedy} HOPLINE_", shown), shown


def test_doctor_says_which_logins_are_refused(environment: dict[str, str]) -> None:
    url = environment["HOPLINE_NEO4J_URL"]
    wrong = {
        "HOPLINE_REDIS_URL": f"redis://:wrong@{environment['HOPLINE_REDIS_URL'].partition('@')[2]}",
    }
    process = run(environment | wrong, "doctor")
    shown = " ".join(process.stdout.split()) or process.stderr
    for name, address, settings in (
        ("redis", "redis://", "HOPLINE_REDIS_URL"),
        ("neo4j", url, "HOPLINE_NEO4J_USER and HOPLINE_NEO4J_PASSWORD"),
        ("tools", url, "HOPLINE_TOOLS_NEO4J_USER and HOPLINE_TOOLS_NEO4J_PASSWORD"),
    ):
        assert re.search(
            rf"error: {name} at {re.escape(address)}\S* {REFUSES_LOGIN} correct {settings}", shown
        ), shown


def test_a_worker_that_may_not_log_in_says_so_when_it_starts(environment: dict[str, str]) -> None:
    ended = run(environment | {"HOPLINE_GRAPH_WAIT_SECONDS": "1"}, "worker", "interactive")
    assert ended.returncode == 1
    message = expected(environment["HOPLINE_NEO4J_URL"], "HOPLINE_NEO4J")
    assert ended.stderr.splitlines()[-1] == f"error: {message}"
    assert "Traceback" not in ended.stderr
