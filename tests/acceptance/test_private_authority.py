"""All servers behind TLS, with certificates of an authority that only HOPLINE_CA_FILE makes known.

The API and Flower are behind paths, too, as on a company's own host.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from fleet.checks import one_object
from fleet.crew import Crew, PrivateRedis, make_crew, wait_until
from fleet.servers import START_SECONDS
from fleet.tls import HANDSHAKE, Authority, Gate, tls_gate
from fleet.worlds import BRIDGE_QUESTION, write_bridge

from infra.local.process import Program, Running, free_port
from infra.local.work import api_program, beat_program, flower_address
from producer.client.hopline import Hopline

LOGIN = ("hopline", "a-password-for-tests")


@dataclass
class Stack:
    """The stack's workers, the TLS before each server, and where Flower is."""

    crew: Crew
    gates: dict[str, Gate]
    flower: str

    def get(self, path: str) -> httpx.Response:
        """Return a page of Flower's."""
        return httpx.get(self.flower + path, auth=LOGIN, trust_env=False, timeout=60).raise_for_status()


@pytest.fixture(scope="module")
def stack(stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("private")
    authority, redis = Authority(folder), PrivateRedis(folder / "redis")
    api, flower = free_port(), free_port()
    behind = {name: urlsplit(stack_env[f"HOPLINE_{name}_URL"]).port for name in ("NEO4J", "QDRANT", "MODEL")}
    with ExitStack() as opened:
        opened.callback(redis.running.kill)
        ports = {**behind, "REDIS": redis.port, "API": api}
        gates = {name: opened.enter_context(tls_gate(authority, port)) for name, port in ports.items()}
        crew = make_crew(
            stack_env,
            f"rediss://:{redis.password}@localhost:{gates['REDIS'].port}/0",
            folder / "crew",
            HOPLINE_CA_FILE=str(authority.ca_file),
            HOPLINE_NEO4J_URL=f"bolt+s://localhost:{gates['NEO4J'].port}",
            HOPLINE_QDRANT_URL=f"https://localhost:{gates['QDRANT'].port}",
            HOPLINE_MODEL_URL=f"https://localhost:{gates['MODEL'].port}/v1",
            HOPLINE_API_URL=f"https://localhost:{gates['API'].port}/hopline",
            HOPLINE_FLOWER_URL=f"{flower_address(flower)}/flower",
            HOPLINE_FLOWER_PASSWORD=LOGIN[1],
        )
        opened.callback(crew.stop)
        crew.model.set()
        crew.start_all(interactive="interactive", bulk="bulk")
        command = (sys.executable, "-m", "hopline", "flower", "--port", str(flower))
        made = Stack(crew, gates, f"{flower_address(flower)}/flower")
        shown = Program("flower", command, lambda _pid: made.get("/healthcheck").is_success)
        for program in (api_program(api), beat_program(), shown):
            log = folder / f"{program.name}.log"
            running = Running(program, log, os.environ | crew.environment)
            opened.callback(running.kill)
            running.wait_ready(START_SECONDS)
        yield made


@pytest.mark.long
def test_documents_go_in_a_question_is_answered_and_nothing_is_sent_in_clear_text(
    stack: Stack, collection: str, tmp_path: Path
) -> None:
    crew = stack.crew
    done = crew.run("ingest", str(write_bridge(tmp_path)), "-c", collection, "--json")
    assert done.returncode == 0, done.stderr
    answered = crew.run("ask", BRIDGE_QUESTION, "-c", collection, "--json")
    assert answered.returncode == 0, answered.stderr
    assert "Vestby" in one_object(answered.stdout)["text"]

    def states() -> dict[str, str]:
        parts = one_object(crew.run("status", "--json").stdout)["parts"]
        told = {part["name"]: f"{part['state']} {part['detail']}" for part in parts}
        return told if "begins what is due" in told["beat"] else {}

    told = wait_until(states, "beat begins what is due")
    without_worker = {"worker quarantine", "worker submissions"}
    assert {name for name, state in told.items() if not state.startswith("up")} <= without_worker, told
    assert {"redis", "neo4j", "vectors", "model", "worker bulk", "api", "flower"} <= told.keys()
    wait_until(lambda: "interactive" in stack.get("/broker").text, "Flower lists the queues")
    assert 'href="/flower/workers"' in stack.get("/broker").text
    assert crew.run("doctor", "--model").returncode == 0
    for name, gate in stack.gates.items():
        assert set(gate.firsts) == {HANDSHAKE}, name


@pytest.mark.long
def test_the_client_asks_an_api_behind_https(stack, collection, tmp_path, monkeypatch):
    monkeypatch.setenv("HOPLINE_CA_FILE", stack.crew.environment["HOPLINE_CA_FILE"])
    with Hopline(stack.crew.environment["HOPLINE_API_URL"]) as client:
        assert not client.ingest([write_bridge(tmp_path)], collection).failed
        assert "Vestby" in client.ask(BRIDGE_QUESTION, collection=collection).text


@pytest.mark.long
def test_who_does_not_know_the_authority_is_told_what_to_set(stack: Stack) -> None:
    strange = {name: value for name, value in stack.crew.environment.items() if name != "HOPLINE_CA_FILE"}
    shell = replace(stack.crew, environment=strange)
    refused = shell.run("ask", BRIDGE_QUESTION, "-c", "bridges")
    assert refused.returncode == 1
    assert refused.stderr.startswith("error: Redis at rediss://localhost"), refused.stderr
    assert "its certificate is not trusted" in refused.stderr
    assert "set HOPLINE_CA_FILE" in refused.stderr
    parts = one_object(shell.run("status", "--json").stdout)["parts"]
    down = {
        part["name"]: part["detail"]
        for part in parts
        if part["name"] in ("redis", "neo4j", "vectors", "model")
    }
    assert all("HOPLINE_CA_FILE" in detail for detail in down.values()), down
