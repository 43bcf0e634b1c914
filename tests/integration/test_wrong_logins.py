"""A wrong login reads the same wherever it is met, and names the settings to correct."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from fleet.crew import settings_of
from pydantic import SecretStr

from producer.mistakes import explain
from workers.core.errors import DependencyAway
from workers.core.graph.cypher import ReadLimits
from workers.services import Services
from workers.settings import Settings

WRONG = "refuses the user or password"


def run(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "producer.cli", *words]
    return subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def settings(stack_env: dict[str, str]) -> Settings:
    wrong, url = SecretStr("wrong"), stack_env["HOPLINE_NEO4J_URL"]
    changed = {"neo4j_password": wrong, "tools_neo4j_url": url, "tools_neo4j_password": wrong}
    return settings_of(stack_env).model_copy(update=changed)


@pytest.fixture
def services(settings: Settings) -> Iterator[Services]:
    services = Services(settings)
    yield services
    services.close()


def expected(url: str, prefix: str) -> str:
    return f"Neo4j at {url} {WRONG}: set {prefix}_USER and {prefix}_PASSWORD with the right ones"


@pytest.mark.parametrize(
    ("ask", "prefix"),
    [
        (lambda services: services.graph.collections(), "HOPLINE_NEO4J"),
        (lambda services: services.reader.read("RETURN 1", {}, ReadLimits()), "HOPLINE_TOOLS_NEO4J"),
        (lambda services: services.reader.ping(), "HOPLINE_TOOLS_NEO4J"),
        (lambda services: services.schema.schema(), "HOPLINE_TOOLS_NEO4J"),
    ],
)
def test_a_command_says_which_login_is_refused(
    services: Services, ask: Callable[[Services], object], prefix: str
) -> None:
    with pytest.raises(DependencyAway) as caught:
        ask(services)
    line, code = explain(caught.value)
    assert (line, code) == (expected(services.settings.neo4j_url, prefix), 1)


def test_a_login_that_is_refused_for_a_while_is_no_error_of_the_work(services: Services) -> None:
    for _ in range(4):  # the server then refuses to look at more of them
        with pytest.raises(DependencyAway, match=WRONG):
            services.graph.collections()


def test_doctor_says_which_logins_are_refused(stack_env: dict[str, str]) -> None:
    url = stack_env["HOPLINE_NEO4J_URL"]
    wrong = {
        "HOPLINE_REDIS_URL": f"redis://:wrong@{stack_env['HOPLINE_REDIS_URL'].partition('@')[2]}",
        "HOPLINE_NEO4J_PASSWORD": "wrong",
        "HOPLINE_TOOLS_NEO4J_URL": url,
        "HOPLINE_TOOLS_NEO4J_PASSWORD": "wrong",
    }
    told = run(stack_env | wrong, "doctor")
    shown = " ".join(told.stdout.split()) or told.stderr
    for name, address, settings in (
        ("redis", "redis://", "HOPLINE_REDIS_URL with the right one"),
        ("neo4j", url, "HOPLINE_NEO4J_USER and HOPLINE_NEO4J_PASSWORD with the right ones"),
        ("tools", url, "HOPLINE_TOOLS_NEO4J_USER and HOPLINE_TOOLS_NEO4J_PASSWORD with the right ones"),
    ):
        assert re.search(rf"error: {name} at {re.escape(address)}\S* {WRONG} set {settings}", shown), shown


def test_a_worker_that_may_not_log_in_says_so_when_it_starts(stack_env: dict[str, str]) -> None:
    wrong = {"HOPLINE_NEO4J_PASSWORD": "wrong", "HOPLINE_GRAPH_WAIT_SECONDS": "1"}
    ended = run(stack_env | wrong, "worker", "interactive")
    assert ended.returncode == 1
    said = expected(stack_env["HOPLINE_NEO4J_URL"], "HOPLINE_NEO4J")
    assert ended.stderr.splitlines()[-1] == f"error: {said}"
    assert "Traceback" not in ended.stderr
