"""`hopline mcp`: where it works, with which key, and for whom."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner, Result

from producer.cli import app

API = "https://hopline.example"


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """What clients the command made, and served assistants over."""
    made: list[tuple[object, ...]] = []

    @contextmanager
    def client(where: object, *, api_key: str | None = None, act_as: str | None = None) -> Iterator[None]:
        made.append((where, api_key, act_as))
        yield

    monkeypatch.setattr("producer.client.hopline.Hopline", client)
    monkeypatch.setattr("producer.commands.client.quiet_logs", lambda _settings: None)
    monkeypatch.setattr("producer.mcp.stdio.serve_stdio", lambda _client: None)
    return made


def run(*args: str) -> Result:
    return CliRunner().invoke(app, ["mcp", *args])


def test_an_api_is_asked_with_a_key_in_the_name_of_others(
    served: list[tuple[object, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOP_KEY", "hop_1")
    options = ("--url", API, "--api-key-from-env", "HOP_KEY", "--as", "user:ann,group:legal")
    assert run(*options).exit_code == 0
    assert served == [(API, "hop_1", "user:ann,group:legal")]


def test_without_an_api_nobody_is_named(served: list[tuple[object, ...]]) -> None:
    result = run("--as", "user:ann")
    assert result.exit_code == 2
    assert "--url" in result.stderr
    assert served == []
