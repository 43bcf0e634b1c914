"""The client and the command line over what a test plays in memory."""

from collections.abc import Iterator

import pytest
from doubles.command_line import Run, run_hopline, work_on
from doubles.desk import Desk, SentMessages
from doubles.desk_streams import ServiceInMemory
from doubles.local_client import client_of

from hopline import Hopline


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def client(desk: Desk) -> Iterator[Hopline]:
    with client_of(ServiceInMemory(desk, SentMessages())) as client:
        yield client


@pytest.fixture
def run(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `hopline` with these arguments; commands work at the desk, with no server and no log."""
    work_on(monkeypatch, desk, SentMessages())
    return run_hopline
