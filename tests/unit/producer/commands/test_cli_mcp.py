"""`hopline mcp`: where it works, with which key, and for whom."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from doubles.command_line import run_hopline


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


def test_an_api_is_asked_with_a_key_in_the_name_of_others(served, monkeypatch):
    monkeypatch.setenv("HOP_KEY", "hop_1")
    refused = run_hopline("mcp", "--as", "user:ann")
    assert (refused.exit_code, served) == (2, [])
    assert "--url" in refused.stderr
    options = ("--url", "https://h.example", "--api-key-from-env", "HOP_KEY", "--as", "user:ann,group:legal")
    assert run_hopline("mcp", *options).exit_code == 0
    assert served == [("https://h.example", "hop_1", "user:ann,group:legal")]
