"""The task that the beat process sends when a schedule is due."""

from __future__ import annotations

from workers.app import app
from workers.engine.scheduled import begin_all_due
from workers.process import runner
from workers.schedules.beat import TASK


def begin(name: str, zone: str) -> None:  # noqa: ARG001 - for who reads it in Flower
    """Begin what is due by the ledger; what cannot be begun now the watchdog begins later."""
    current = runner()
    begin_all_due(current.services, current.driver.publisher)


app.task(begin, name=TASK)
