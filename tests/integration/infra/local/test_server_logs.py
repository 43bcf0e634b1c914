"""What the local stack's own servers write to their logs: that they serve, and each request."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from doubles.keys import KEY, SHOWN
from doubles.meter import model_at
from fleet.crew import wait_until
from fleet.servers import START_SECONDS

from infra.local.parts import model_address, model_program, vectors_address, vectors_program
from infra.local.process import Running, free_port
from workers.core.prompts import Prompt
from workers.critic.schema import FactScore

SECRET = "Who holds the secret?"


def ask_model(port: int) -> None:
    material = {"question": SECRET, "sub_questions": [], "fact": SECRET, "sources": []}
    model_at(model_address(port)).ask(Prompt(name="test", text="Score."), material, FactScore)


def ask_vectors(port: int) -> None:
    for headers in (SHOWN, {}):
        httpx.get(f"{vectors_address(port)}/collections", params={"q": SECRET}, headers=headers, timeout=60)


@pytest.mark.parametrize(("program", "ask", "serving", "requests"), [
    (model_program, ask_model, "model.serving", [("POST", "/v1/chat/completions", 200, "FactScore")]),
    (
        vectors_program,
        ask_vectors,
        "vectors.serving",
        [("GET", "/collections", 200, None), ("GET", "/collections", 401, None)],
    ),
])  # fmt: skip
def test_a_server_logs_its_start_and_each_request(tmp_path, program, ask, serving, requests):
    log, port = tmp_path / "server.log", free_port()
    running = Running(program(tmp_path / "data", port, KEY), log)
    running.wait_ready(START_SECONDS)
    try:
        ask(port)
        lines = wait_until(lambda: _lines(log, 1 + len(requests)), "the log has a line per request")
    finally:
        running.stop()
    start, *answered = lines
    assert (start["event"], str(port) in start["address"]) == (serving, True)
    assert [(line["method"], line["path"], line["status"], line.get("kind")) for line in answered] == requests
    assert all(line["ms"] >= 0 for line in answered)
    assert SECRET.split()[1] not in log.read_text()
    assert KEY not in log.read_text()


def _lines(log: Path, count: int) -> list[dict[str, Any]]:
    """Return the log's lines once there are so many; whether a server is ready is asked without one."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return lines if len(lines) >= count else []
