"""Messages that are written here are those that Celery would send."""

from base64 import b64decode
from collections.abc import Callable
from typing import Any

import orjson
import pytest
import redis
from celery._state import _task_stack
from doubles.celery_publisher import SinglePublisher

from workers.app import Application
from workers.core.jobs.messages import Message, Publisher
from workers.telemetry.queues import QUEUES, queue_lists
from workers.transport.publishers import CeleryPublisher

CHANGING = {"id", "task_id", "correlation_id", "delivery_tag", "sent_at", "group", "group_id", "reply_to"}


def message(number: int, priority: int = 3) -> Message:
    return Message(
        job_id="job",
        epoch=2,
        item_id=f"visit:é{number}",
        step="traverse.visit",
        queue="bulk",
        priority=priority,
    )


WAYS: dict[str, Callable[[Publisher], None]] = {
    "one": lambda publisher: publisher.send([message(1)]),
    "many": lambda publisher: publisher.send([message(n, n) for n in range(10)]),
    "chain": lambda publisher: publisher.chain([message(1), message(2, 4), message(3, 0)]),
    "chain of one": lambda publisher: publisher.chain([message(1)]),
    "chains": lambda publisher: publisher.chain([message(1), message(2, 4)], [message(3)], [message(4, 4)]),
    "chord": lambda publisher: publisher.chord([message(1), message(2)], message(9, 0)),
}


def _parent() -> None:
    """A task."""


@pytest.fixture(params=["in a process of its own", "in a task"])
def context(request: pytest.FixtureRequest) -> Callable[[Application], None]:
    """Whether there is a task that sends."""

    def enter(application: Application) -> None:
        if request.param == "in a task":
            task = application.task(_parent, name="test.parent", shared=False)
            task.push_request(id="the parent", root_id="the root", delivery_info={"priority": 7})
            _task_stack.push(task)
            request.addfinalizer(_task_stack.pop)

    return enter


def _sent(broker: redis.Redis) -> dict[str, Any]:
    """Return what lies in Redis but bindings: list -> messages, the newest first; chord -> (size, expiry)."""
    kept: dict[str, Any] = {}
    for queue in QUEUES:
        for name in queue_lists(queue):
            if texts := broker.lrange(name, 0, -1):
                kept[name] = [_read(text) for text in texts]
    for key in broker.keys("*.s"):
        kept["chord"] = (broker.get(key), round(float(str(broker.ttl(key))), -1))
    broker.flushdb()
    return kept


def _read(text: str) -> Any:
    """Return a message without what differs from one to the next, but whether it is there."""
    envelope = orjson.loads(text)
    envelope["body"] = orjson.loads(b64decode(envelope["body"]))
    if envelope["headers"]["root_id"] == envelope["headers"]["id"]:
        envelope["headers"]["root_id"] = "its own"
    return _masked(envelope)


def _masked(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: type(inner).__name__ if name in CHANGING else _masked(inner)
            for name, inner in value.items()
        }
    return [_masked(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("way", WAYS)
def test_the_lists_hold_what_celery_would_put_there(way, broker, application, context):
    context(application)
    WAYS[way](CeleryPublisher(application))
    written = _sent(broker)
    WAYS[way](SinglePublisher(application))
    assert written == _sent(broker)


def test_group_and_ids_belong_together(broker: redis.Redis, publisher: CeleryPublisher) -> None:
    publisher.chord([message(1), message(2)], message(9, 0))
    (size,) = broker.keys("*.s")
    texts = broker.lrange(queue_lists("bulk")[3], 0, -1)
    assert len(texts) == 2
    ids = set()
    for number, text in enumerate(reversed(texts)):
        envelope = orjson.loads(text)
        headers, body = envelope["headers"], orjson.loads(b64decode(envelope["body"]))
        assert headers["group"] == size.removeprefix("celery-taskset-meta-").removesuffix(".s")
        assert (headers["group_index"], headers["id"]) == (number, envelope["properties"]["correlation_id"])
        assert body[2]["chord"]["options"]["group_id"] == headers["group"]
        ids |= {headers["id"], body[2]["chord"]["options"]["task_id"], envelope["properties"]["delivery_tag"]}
    assert len(ids) == 2 * 2 + 1
