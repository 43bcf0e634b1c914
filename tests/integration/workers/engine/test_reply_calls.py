"""A job's end calls the task that waits for it."""

from base64 import b64decode
from typing import Any

import orjson
import pytest
import redis
from doubles.memory_redis import services_over
from doubles.single_worker import SingleWorker

from hopline.models.jobs import JobState
from workers.core.ids import reply_id
from workers.core.jobs.work import ReplyTo, Terms
from workers.core.redis_keys import ACTIVE
from workers.engine.outbox import work_off
from workers.engine.submit import cancel_job

pytestmark = pytest.mark.memory_too

QUEUE = "reports"
TO = ReplyTo(task="reports.on_answer", queue=QUEUE)


@pytest.fixture
def worker(client: redis.Redis) -> SingleWorker:
    return SingleWorker(services_over(client))


def _calls(worker: SingleWorker) -> list[tuple[str, str, Any]]:
    """Return task, id and keyword arguments of what lies in the queue."""
    messages = map(orjson.loads, worker.services.broker_redis.lrange(QUEUE, 0, -1))
    return [
        (each["headers"]["task"], each["headers"]["id"], orjson.loads(b64decode(each["body"]))[1])
        for each in messages
    ]


def _away(*_: Any) -> None:
    raise redis.ConnectionError("the broker is away")


def test_the_end_is_told_once_in_ids_only_and_later_where_the_broker_is_away(worker, monkeypatch):
    job = worker.submit("query", Terms(reply=TO), question="Who?")
    with monkeypatch.context() as outage:
        outage.setattr(worker.services.broker_redis, "lpush", _away)
        cancel_job(worker.services, job)
    assert (_calls(worker), worker.services.redis.zscore(ACTIVE, job) is None) == ([], False)
    work_off(worker.services, job)
    arguments = {"job_id": job, "state": JobState.CANCELLED}
    assert _calls(worker) == [("reports.on_answer", reply_id(job, 1), arguments)]
    assert worker.services.redis.zscore(ACTIVE, job) is None


def test_who_names_no_task_is_told_nothing(worker: SingleWorker) -> None:
    cancel_job(worker.services, worker.submit("query", question="Who?"))
    assert _calls(worker) == []


def test_what_is_no_queue_is_left_alone(worker: SingleWorker) -> None:
    worker.services.broker_redis.set(QUEUE, "a text")
    job = worker.submit("query", Terms(reply=TO), question="Who?")
    cancel_job(worker.services, job)
    assert worker.services.broker_redis.get(QUEUE) == "a text"
    assert worker.services.redis.zscore(ACTIVE, job) is None


def test_a_reply_goes_to_a_queue_of_the_callers_own() -> None:
    for queue in ("bulk", "submissions", "unacked_index", "celery-task-meta-1", "a:b", ""):
        with pytest.raises(ValueError, match="a queue of your own"):
            ReplyTo(task="t", queue=queue)
    for queue in ("celery", "reports", "team.reports-1"):
        assert ReplyTo(task="t", queue=queue).queue == queue
