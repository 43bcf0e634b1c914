"""A beat process, and a worker of submissions, are called down where they are needed; over a real Redis."""

from __future__ import annotations

import pytest
import redis
from fleet.crew import wait_until

from infra.local.probes import NotThereError, beat_at_work, submissions_idle
from workers.core.jobs.params import SyncParams
from workers.core.jobs.schedules import Schedule
from workers.ledger.keys import BEAT_LOCK
from workers.ledger.schedules import ScheduleBook
from workers.telemetry.presence import leave, stay, workers_by_queue
from workers.telemetry.queues import SUBMISSIONS


def test_a_beat_process_is_needed_where_a_schedule_is_to_begin_something(client: redis.Redis) -> None:
    assert "no schedule" in beat_at_work(client)
    book = ScheduleBook(client)
    schedule = Schedule(name="n", collection="c", sync=SyncParams(sources=("/n",)), every="0 2 * * *")
    book.save(schedule.model_copy(update={"paused": True}))
    assert "no schedule" in beat_at_work(client)
    book.save(schedule)
    with pytest.raises(NotThereError, match="1 schedules begin nothing"):
        beat_at_work(client)
    client.set(BEAT_LOCK, "its token")
    assert beat_at_work(client) == "begins what is due"


def test_a_worker_of_submissions_is_needed_where_messages_wait(client: redis.Redis) -> None:
    assert "nothing waits" in submissions_idle(client, client)
    client.lpush(SUBMISSIONS, "a message")
    with pytest.raises(NotThereError, match="1 messages wait"):
        submissions_idle(client, client)


@pytest.mark.parametrize("leaves", [True, False], ids=["stopped", "killed"])
def test_a_worker_of_submissions_that_is_gone_is_missed_a_day(client: redis.Redis, *, leaves: bool) -> None:
    stay(client, SUBMISSIONS, "one")
    assert workers_by_queue(client)[SUBMISSIONS] == 1
    if leaves:
        leave(client, SUBMISSIONS, "one")
    wait_until(lambda: workers_by_queue(client)[SUBMISSIONS] == 0, "it is gone")
    with pytest.raises(NotThereError, match="within the last day"):
        submissions_idle(client, client)
    (key,) = client.scan_iter(f"*workers:{SUBMISSIONS}")
    client.zincrby(key, -86_400, "one")
    assert "nothing waits" in submissions_idle(client, client)
