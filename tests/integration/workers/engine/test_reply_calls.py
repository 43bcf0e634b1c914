"""A job's end calls the task that waits for it, over a real Redis."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
import redis
from doubles.broker import Broker

from workers.core.ids import reply_id
from workers.core.jobs.work import JobState, ReplyTo, Terms
from workers.engine.outbox import work_off
from workers.engine.submit import cancel_job, submit_job
from workers.ledger.keys import ACTIVE
from workers.services import Services
from workers.settings import Settings

QUEUE = "reports"


@pytest.fixture
def services(empty_redis: str) -> Iterator[Services]:
    made = Services(Settings(redis_url=empty_redis))
    made.redis.delete(QUEUE)
    yield made
    made.close()


def _submit(services: Services, reply: ReplyTo | None) -> str:
    terms = Terms(reply=reply)
    record = submit_job(services, Broker(), "query", "default", {"question": "Who?"}, terms=terms)
    return record.job.id


def _calls(services: Services) -> list[tuple[str, str, Any]]:
    """Return task, id and keyword arguments of what lies in the queue."""
    calls = []
    for text in services.broker_redis.lrange(QUEUE, 0, -1):
        message = orjson.loads(text)
        kwargs = orjson.loads(b64decode(message["body"]))[1]
        calls.append((message["headers"]["task"], message["headers"]["id"], kwargs))
    return calls


TO = ReplyTo(task="reports.on_answer", queue=QUEUE)


def test_the_end_is_told_once_in_ids_only(services: Services) -> None:
    job = _submit(services, TO)
    assert _calls(services) == []
    cancel_job(services, job)
    arguments = {"job_id": job, "state": JobState.CANCELLED}
    assert _calls(services) == [("reports.on_answer", reply_id(job, 1), arguments)]
    assert services.redis.zscore(ACTIVE, job) is None


def test_who_names_no_task_is_told_nothing(services: Services) -> None:
    cancel_job(services, _submit(services, None))
    assert _calls(services) == []


def test_where_the_broker_is_away_it_is_told_later(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = _submit(services, TO)
    with monkeypatch.context() as outage:
        outage.setattr(services.broker_redis, "lpush", _away)
        cancel_job(services, job)
    assert (_calls(services), services.redis.zscore(ACTIVE, job) is None) == ([], False)
    work_off(services, job)
    assert [call[1] for call in _calls(services)] == [reply_id(job, 1)]
    assert services.redis.zscore(ACTIVE, job) is None


def _away(*_: Any) -> None:
    raise redis.ConnectionError("the broker is away")


def test_what_is_no_queue_is_left_alone(services: Services) -> None:
    services.broker_redis.set(QUEUE, "a text")
    job = _submit(services, TO)
    cancel_job(services, job)
    assert services.broker_redis.get(QUEUE) == "a text"
    assert services.redis.zscore(ACTIVE, job) is None


@pytest.mark.parametrize("queue", ["bulk", "submissions", "unacked_index", "celery-task-meta-1", "a:b", ""])
def test_queues_of_ours_and_keys_of_celery_are_refused(queue: str) -> None:
    with pytest.raises(ValueError, match="a queue of your own"):
        ReplyTo(task="t", queue=queue)


@pytest.mark.parametrize("queue", ["celery", "reports", "team.reports-1"])
def test_other_queues_are_taken(queue: str) -> None:
    assert ReplyTo(task="t", queue=queue).queue == queue
