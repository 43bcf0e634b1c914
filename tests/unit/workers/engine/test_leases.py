"""Which leases a worker renews."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event
from typing import cast

import redis

from workers.engine.leases import Leases
from workers.ledger.ledger import Ledger
from workers.ledger.records import Claim


class Renewals:
    """A ledger that renews every lease it is asked for, and notes whose; it may be away once."""

    def __init__(self, *, is_away: bool = False) -> None:
        self.items: list[str] = []
        self.is_away = is_away

    def renew(self, claims: Sequence[Claim]) -> list[bool | None]:
        if self.is_away:
            self.is_away = False
            raise redis.ConnectionError
        self.items += [claim.item_id for claim in claims]
        return [True] * len(claims)


class Pauses(Event):
    """Waits for no time, notes for how long it was to, and is set after some rounds."""

    def __init__(self, rounds: int) -> None:
        super().__init__()
        self.rounds = rounds
        self.seconds: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.seconds.append(timeout)
        return len(self.seconds) > self.rounds


def leases(ledger: Renewals, seconds: float, **more: Callable[[], None] | Event) -> Leases:
    return Leases(cast("Ledger", ledger), seconds, **more)  # type: ignore[arg-type]


def claim(item: str) -> Claim:
    return Claim(job_id="job", epoch=1, item_id=item, token=item)


def test_a_step_past_its_time_is_not_renewed_and_its_worker_leaves() -> None:
    left: list[bool] = []
    ledger = Renewals()
    running = leases(ledger, 10.0, leave=lambda: left.append(True))
    with running.holding(claim("quick"), 3600.0):
        running.renew_once()
        assert (ledger.items, left) == (["quick"], [])
        with running.holding(claim("stuck"), -1.0):
            running.renew_once()
    assert (ledger.items, left) == (["quick", "quick"], [True])


def test_where_redis_was_away_it_is_asked_again_soon() -> None:
    ledger, pauses = Renewals(is_away=True), Pauses(3)
    running = leases(ledger, 60.0, stopping=pauses)
    running.hold(claim("held"))
    running.renew_until_stopped()
    assert pauses.seconds == [20.0, 1.0, 20.0, 20.0]
    assert ledger.items == ["held", "held"]
