"""No message ends a worker: what it cannot do is kept aside, over a real Redis, and the next is done."""

from base64 import b64encode
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from celery.contrib.testing.worker import start_worker
from fleet.crew import wait_until

from workers.app import Application
from workers.transport.dead_messages import buried

TASK = "test.note"


@pytest.fixture
def notes(application: Application) -> list[str]:
    texts: list[str] = []

    def note(text: str) -> None:
        texts.append(text)

    application.task(note, name=TASK, shared=False)
    return texts


def _text(body: Any, **headers: Any) -> str:
    """Return a message as it lies in a list."""
    encoded = body if isinstance(body, str) else b64encode(orjson.dumps(body)).decode()
    envelope = {
        "body": encoded,
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {"lang": "py", "task": TASK, "id": "1", "root_id": "1", **headers},
        "properties": {
            "correlation_id": "1", "delivery_mode": 2,
            "delivery_info": {"exchange": "", "routing_key": "bulk"}, "priority": 0,
            "body_encoding": "base64", "delivery_tag": str(headers),
        },
    }  # fmt: skip
    return orjson.dumps(envelope).decode()


BODY = [["poison"], {}, {}]


def _without_id() -> str:
    message = orjson.loads(_text(BODY))
    del message["headers"]["id"]
    return orjson.dumps(message).decode()


def _without_headers() -> str:
    return orjson.dumps(orjson.loads(_text(BODY)) | {"headers": None}).decode()


POISON: dict[str, Callable[[], str]] = {
    "no JSON": lambda: "{",
    "an unknown task": lambda: _text(BODY, task="test.unknown", id="7"),
    "an unknown task without an id": lambda: _text(BODY, task="test.unknown", id=None),
    "a task that is no text": lambda: _text(BODY, task=["a"]),
    "no id": _without_id,
    "no headers": _without_headers,
    "a body that is no base64": lambda: _text("ä"),
    "a body that is no JSON": lambda: _text("e30="[:2] + "=="),
    "a body of two parts": lambda: _text(BODY[:2]),
    "a time that is none": lambda: _text(BODY, eta="soon"),
    "another serialisation": lambda: _text(BODY).replace(
        "application/json", "application/x-python-serialize"
    ),
}


def test_a_worker_keeps_poisonous_messages_aside_and_does_the_next(application, notes, broker):
    good = _text([["good"], {}, {}], id="2")
    broker.lpush("bulk", *(made() for made in POISON.values()), good)
    with start_worker(application, pool="threads", concurrency=1, perform_ping_check=False, queues=["bulk"]):
        wait_until(lambda: notes == ["good"], "the next message is done")
        wait_until(lambda: len(buried(broker, 100)) == len(POISON), "the others are kept")
        wait_until(lambda: broker.hlen("unacked") == 0, "nothing is booked")
    assert {dead.message.queue for dead in buried(broker, 100)} == {"bulk"}
    stored = orjson.loads(str(broker.get("celery-task-meta-7")))  # who calls an unknown task hears of it
    assert (stored["status"], stored["result"]["exc_type"]) == ("FAILURE", "NotRegistered")
