"""The client and the command line over what a test plays in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest
from doubles.desk import Desk, SentMessages
from typer.main import get_command
from typer.testing import CliRunner, Result

from producer.cli import app
from producer.client.hopline import Hopline


@pytest.fixture(scope="session", autouse=True)
def _commands_made_once() -> Iterator[None]:
    """Keep the tree of commands that Typer's runner makes of the application anew for each call."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", cache(get_command))
        yield


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def client(desk: Desk) -> Hopline:
    return Hopline(services=desk, publisher=SentMessages())


@pytest.fixture
def run(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run `hopline` with these arguments; commands work at the desk, with no server and no log."""
    monkeypatch.setattr("producer.commands.client.greet_redis", lambda _url: None)
    monkeypatch.setattr("producer.commands.client.quiet_logs", lambda _settings: None)
    monkeypatch.setattr(
        "producer.client.hopline.Hopline", lambda _settings: Hopline(services=desk, publisher=SentMessages())
    )
    return lambda *args, **options: CliRunner().invoke(app, [str(arg) for arg in args], **options)
