"""Many questions while a worker is killed every three seconds."""

from __future__ import annotations

import itertools
import time
from functools import partial

from fleet.checks import assert_done_as, assert_nothing_left
from fleet.crew import Crew, wait_until
from fleet.servers import START_SECONDS

from workers.ledger.keys import job_key

QUERIES, WAVE, LEASES = 20, 10, 20
KILL_EVERY = 3.0  # seconds
MOST_KILLS = 20


def leases(crew: Crew, jobs: list[str]) -> int:
    """Return how many items are being worked on."""
    return sum(crew.redis.hlen(job_key(job, "lease")) for job in jobs)


def lost(crew: Crew, jobs: list[str]) -> int:
    return sum(record.leases_lost for record in crew.ledger.jobs_by_id(jobs))


def test_twenty_questions_survive_a_kill_every_three_seconds(crew: Crew, tree) -> None:
    crew.model.set(chat={"latency": 0.2})
    crew.have(a="interactive", b="interactive", c="interactive", quarantine="quarantine")
    jobs: list[str] = []
    for victim in itertools.islice(itertools.cycle("abc"), MOST_KILLS):
        next_kill = time.monotonic() + KILL_EVERY
        if len(jobs) < QUERIES or (all_ended(crew, jobs) and lost(crew, jobs) < LEASES):
            jobs += [tree.submit(crew) for _ in range(WAVE)]
        if not busy(crew, jobs):
            if len(jobs) >= QUERIES and lost(crew, jobs) >= LEASES:
                break
            continue  # they ended since they were looked at: another wave
        crew.workers[victim].wait_ready(START_SECONDS)  # killing what does not work yet shows nothing
        crew.workers[victim].kill()
        crew.start(victim, wait=False)
        wait_until(partial(is_past, next_kill), "the next kill is due")
    for job_id in jobs:
        assert_done_as(crew, job_id, tree.answer)
    assert len(jobs) >= QUERIES
    assert lost(crew, jobs) >= LEASES
    assert_nothing_left(crew)


def busy(crew: Crew, jobs: list[str]) -> bool:
    """Wait until a kill would hit some items; False where all is done before."""
    wait_until(lambda: leases(crew, jobs) >= 2 * WAVE or all_ended(crew, jobs), "items are under way")
    return not all_ended(crew, jobs)


def is_past(moment: float) -> bool:
    return time.monotonic() > moment


def all_ended(crew: Crew, jobs: list[str]) -> bool:
    return all(record.ended for record in crew.ledger.jobs_by_id(jobs))
