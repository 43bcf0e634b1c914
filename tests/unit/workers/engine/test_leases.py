"""Which leases a worker renews."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import pytest
import redis

from workers.engine import leases
from workers.engine.leases import Leases
from workers.ledger.records import Claim


class Renewals:
    """A ledger that renews every lease it is asked for, and notes whose."""

    def __init__(self) -> None:
        self.items: list[str] = []

    def renew(self, claims: Sequence[Claim]) -> list[bool | None]:
        self.items += [claim.item_id for claim in claims]
        return [True] * len(claims)


def claim(item: str) -> Claim:
    return Claim(job_id="job", epoch=1, item_id=item, token=item)


def test_a_step_past_its_time_is_not_renewed_and_its_worker_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[bool] = []
    monkeypatch.setattr(leases, "_leave", lambda: left.append(True))
    ledger = Renewals()
    running = Leases(ledger, 10.0)  # type: ignore[arg-type]
    with running.holding(claim("quick"), 60.0):
        running.renew_once()
        assert (ledger.items, left) == (["quick"], [])
        with running.holding(claim("stuck"), -1.0):
            running.renew_once()
    assert (ledger.items, left) == (["quick", "quick"], [True])


def test_where_redis_was_away_it_is_asked_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger, pauses = Renewals(), list[float]()
    running = Leases(ledger, 60.0)  # type: ignore[arg-type]
    running.hold(claim("held"))

    def wait(seconds: float) -> bool:
        pauses.append(seconds)
        return len(pauses) > 3

    def renew(claims: Sequence[Claim]) -> list[bool | None]:
        if len(pauses) == 1:
            raise redis.ConnectionError
        return Renewals.renew(ledger, claims)

    monkeypatch.setattr(running, "_stop", SimpleNamespace(wait=wait))
    monkeypatch.setattr(ledger, "renew", renew)
    running._renew_for_ever()
    assert pauses == [20.0, 1.0, 20.0, 20.0]
    assert ledger.items == ["held", "held"]
