"""The client and the command line over what a test plays in memory."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from doubles.desk import Desk, SentMessages
from typer.testing import CliRunner, Result

from producer.cli import app
from producer.client.hopline import Hopline


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
    return lambda *args, **given: CliRunner().invoke(app, [str(arg) for arg in args], **given)
