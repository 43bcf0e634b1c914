"""The length of the queues and the age of their oldest message, on a real Redis, sent by Celery itself."""

from __future__ import annotations

import time

import pytest
import redis

from workers.core.jobs.messages import Message
from workers.limits.queue_ages import queue_states
from workers.telemetry.queues import PRIORITIES, QUEUES, messages_before, queue_depths, queue_lists


def _message(number: int, queue: str = "interactive") -> Message:
    return Message(
        job_id="job", epoch=1, item_id=f"item {number}", step="traverse.visit", queue=queue, priority=number
    )


def test_what_waits_in_every_priority_is_counted_under_its_queue(client, publisher):
    publisher.send([_message(number) for number in range(PRIORITIES)])
    publisher.send([_message(4, "bulk"), _message(4, "bulk")])
    assert queue_depths(client) == {"interactive": PRIORITIES, "bulk": 2, "quarantine": 0}
    states, held = queue_states(client)
    assert {queue: state.depth for queue, state in states.items()} == queue_depths(client)
    assert held == 0


def test_the_oldest_message_of_any_priority_gives_the_age(client, publisher):
    publisher.send([_message(7)])
    first = time.time()
    publisher.send([_message(0), _message(7)])
    publisher.chain([_message(1, "quarantine"), _message(2, "quarantine")])
    since_first = time.time() - first  # before they are looked at: who looks may be held up after it
    states = queue_states(client)[0]
    oldest = states["interactive"].oldest_seconds
    assert oldest is not None
    assert oldest >= max(0.0, since_first - 0.001)
    assert states["bulk"].oldest_seconds is None
    assert states["quarantine"].oldest_seconds is not None, "the first of a chain says when it was sent"


def test_what_is_served_before_a_message_is_counted_by_its_priority(client, publisher):
    publisher.send([_message(priority, "bulk") for priority in (3, 3, 5, 8)])
    assert messages_before(client, "bulk", 2) == 0
    assert messages_before(client, "bulk", 3) == 2
    assert messages_before(client, "bulk", 9) == 4
    assert messages_before(client, "interactive", 9) == 0


@pytest.mark.parametrize("text", ["no json", "7", '{"headers": 3}', '{"headers": {"sent_at": "then"}}'])
def test_a_message_that_says_nothing_of_its_time_has_no_age(client: redis.Redis, text: str) -> None:
    client.lpush(queue_lists(QUEUES[0])[3], text)
    states, _ = queue_states(client)
    assert states[QUEUES[0]].depth == 1
    assert states[QUEUES[0]].oldest_seconds is None
