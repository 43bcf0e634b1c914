"""`hopline mcp` over an API with a key."""

import os
from typing import ClassVar

import pytest
from doubles.command_line import run_hopline


class Client:
    """A client that only knows how it was made."""

    made: ClassVar[list[tuple[str | None, ...]]] = []

    def __init__(
        self, url: str | None = None, *, api_key: str | None = None, act_as: str | None = None
    ) -> None:
        self.made.append((url, api_key, act_as))
        self.url = url or os.environ["HOPLINE_API_URL"]


def test_an_api_is_asked_with_a_key_in_the_name_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Client, "made", [])
    monkeypatch.setattr("hopline.aio.client.AsyncHopline", Client)
    monkeypatch.setattr("producer.commands.client.quiet_logs", lambda _settings: None)
    monkeypatch.setattr("producer.mcp.stdio.serve_stdio", lambda _client: None)
    monkeypatch.delenv("HOPLINE_API_URL", raising=False)
    monkeypatch.delenv("HOPLINE_API_KEY", raising=False)
    monkeypatch.setenv("HOP_KEY", "hop_1")
    refused = run_hopline("mcp", "--as", "user:ann")
    assert (refused.exit_code, Client.made) == (2, [])
    assert "--url" in refused.stderr
    options = ("--url", "https://h.example", "--api-key-from-env", "HOP_KEY", "--as", "user:ann,group:legal")
    assert run_hopline("mcp", *options).exit_code == 0
    assert Client.made == [("https://h.example", "hop_1", "user:ann,group:legal")]
    Client.made.clear()
    monkeypatch.setenv("HOPLINE_API_URL", "https://set.example")
    assert run_hopline("mcp").exit_code == 0
    assert Client.made == [(None, None, None)], "address and key are those of the environment"
