"""Results that leave Redis earlier than they do, so that a test of pages needs few documents."""

import pytest

from workers.ledger.spool import Spool
from workers.services import Services


def spool_at(patch: pytest.MonkeyPatch, results: int) -> None:
    """Let so many results of a job leave Redis at a time."""
    patch.setattr(Services, "spool", property(lambda services: Spool(services.ledger, results)))
