"""The client and the command line over what a test plays in memory."""

import pytest
from doubles.command_line import Run, run_hopline, work_on
from doubles.desk import Desk, SentMessages

from producer.client.hopline import Hopline


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def client(desk: Desk) -> Hopline:
    return Hopline(services=desk, publisher=SentMessages())


@pytest.fixture
def run(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `hopline` with these arguments; commands work at the desk, with no server and no log."""
    work_on(monkeypatch, desk, SentMessages())
    return run_hopline
