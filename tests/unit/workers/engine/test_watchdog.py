"""What a watchdog counts of what it looks at."""

from __future__ import annotations

import pytest
from doubles.broker import Broker
from doubles.memory_redis import memory_redis, services_over

from workers.core.jobs.work import Item, Job, Phase
from workers.engine.runner import Runner
from workers.engine.watchdog import Watchdog
from workers.ledger.records import Look
from workers.telemetry.metrics import Counts, read_counts


def test_a_look_that_ends_a_job_by_giving_its_advance_up_counts_the_lost_lease(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    services, counts = services_over(memory_redis(), history_days=0), Counts()
    job = Job(id="j1", kind="document", collection="c")
    services.ledger.submit(job, Phase(items=(Item(id="i", step="s"),)))
    looks = iter([[Look(verdict="ended", lost=(("flow.advance", True),))], [Look(verdict="ended")]])
    monkeypatch.setattr(services.ledger, "look", lambda *_args: next(looks))
    monkeypatch.setattr("workers.telemetry.counters.COUNTS", counts)
    watchdog = Watchdog(Runner(services, Broker()).driver, 0.1)
    for _ in range(2):
        watchdog.look_once()
    counts.flush(services.redis)
    totals = {number.name: value for number, value in read_counts(services.redis).items()}
    assert totals == {"hopline_leases_lost": 1, "hopline_dead_letters": 1}
