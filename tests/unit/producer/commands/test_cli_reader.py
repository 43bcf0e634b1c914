"""Where commands work: looks into the graph go to the local stack's API, `hopline mcp` to one with a key."""

import os
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest
from doubles.command_line import run_hopline

from hopline.errors import NoDocuments
from infra.local.settings import SUPERVISOR_FILE, load_local_settings, settings_fingerprint
from producer.client.hopline import Hopline
from producer.commands.client import open_reader, require_documents
from workers.settings import load_settings


class Api(BaseHTTPRequestHandler):
    status = 200

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(b'{"collections": [{"name": "demo", "documents": 2}]}')

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a stack whose API answers, started with the settings of this process."""
    server = HTTPServer(("127.0.0.1", 0), Api)
    Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("HOPLINE_VAR", str(tmp_path))
    monkeypatch.setenv("HOPLINE_REDIS_URL", "redis://127.0.0.1:6379/0")  # servers are named
    monkeypatch.setenv("HOPLINE_API_URL", f"http://127.0.0.1:{server.server_port}")
    fingerprint = settings_fingerprint(load_local_settings())
    (tmp_path / SUPERVISOR_FILE).write_text(f"; Fingerprint {fingerprint}\n", encoding="utf-8")
    yield tmp_path
    server.shutdown()
    server.server_close()


def goes_over_http() -> bool:
    with open_reader() as client:
        return client.is_remote


@pytest.mark.usefixtures("stack")
def test_it_reads_over_the_api_of_the_stack_that_runs_with_these_settings() -> None:
    assert goes_over_http()
    with Hopline(load_settings()) as client:
        require_documents(client, "demo", "graph")
        with pytest.raises(NoDocuments, match="no collection nope; there are: demo"):
            require_documents(client, "nope", None)
        assert "graph" not in vars(client.services), "no driver was started for that"


def test_it_reads_from_the_servers_themselves_where_the_api_asks_for_a_key_or_is_another(stack, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Api, "status", 401)
        assert not goes_over_http()
    with monkeypatch.context() as patch:
        patch.setenv("HOPLINE_NEO4J_URL", "bolt://elsewhere.invalid:7687")
        assert not goes_over_http(), "a setting was changed since"
    monkeypatch.setenv("HOPLINE_API_URL", "http://127.0.0.1:9")
    load_settings.cache_clear()
    fingerprint = settings_fingerprint(load_local_settings())
    (stack / SUPERVISOR_FILE).write_text(fingerprint, encoding="utf-8")
    assert not goes_over_http()


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
