"""Results that leave Redis earlier than they do, so that a test of pages needs few documents."""

from __future__ import annotations

import pytest

from workers.engine import driver
from workers.ledger.spool import Spool


def spool_at(patch: pytest.MonkeyPatch, results: int) -> None:
    """Let so many results of a job leave Redis at a time."""
    patch.setattr(driver, "SPOOLED_AT", results)
    patch.setattr(driver.spool_results, "__kwdefaults__", {"least": results})
    patch.setattr(Spool.take, "__kwdefaults__", {"most": results})
