"""Celery's task events go out together, over a real Redis, and Flower's state reads them as before."""

import threading
import time
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
import redis
from doubles.databases import address_of
from fleet.crew import wait_until
from flower.events import EventsState
from kombu import Connection
from kombu.asynchronous import Hub

from workers.app import Application
from workers.transport.channels import Transport

TASKS, STATES = 40, ("received", "started", "succeeded")


@pytest.fixture
def connection(application: Application) -> Iterator[Connection]:
    with application.connection_for_write() as connection:
        yield connection


@pytest.fixture
def published(broker: redis.Redis) -> Iterator[list[bytes]]:
    client = redis.Redis.from_url(address_of(broker))
    bodies: list[bytes] = []
    listening = client.pubsub()
    listening.psubscribe(**{"*celeryev*": lambda message: bodies.append(message["data"])})
    assert listening.get_message(timeout=60)  # the server has heard of it
    listener = listening.run_in_thread(sleep_time=0.01)
    yield bodies
    listener.stop()
    listener.join()
    client.close()


def _dispatcher(application: Application, connection: Connection) -> Any:
    """Return a worker's dispatcher."""
    return application.events.Dispatcher(
        connection, hostname="worker@host", buffer_group=["task"], on_send_buffered=lambda: None
    )


def _send(dispatcher: Any, state: str, number: int) -> None:
    fields = {"name": "traverse.visit", "args": f"('job', 1, 'visit:{number}')", "kwargs": "{}"}
    dispatcher.send(f"task-{state}", uuid=f"{number}", **(fields if state == "received" else {}))


def test_what_many_threads_send_is_read_by_flower_with_names_arguments_and_times(
    application: Application, connection: Connection, published: list[bytes]
) -> None:
    dispatcher, began = _dispatcher(application, connection), time.monotonic()
    threads = [
        threading.Thread(target=lambda n=n: [_send(dispatcher, state, n) for state in STATES])
        for n in range(TASKS)
    ]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(_events(published)) == TASKS * len(STATES), "all events have come")
    most = 1 + 10 * (time.monotonic() - began)
    read = EventsState()
    for event in _events(published):
        read.event(event | {"local_received": time.time()})
    for number in range(TASKS):
        task = read.tasks[f"{number}"]
        assert (task.state, task.name, task.args) == (
            "SUCCESS", "traverse.visit", f"('job', 1, 'visit:{number}')"
        )  # fmt: skip
        assert task.received <= task.started <= task.succeeded
    assert len(published) <= most, "ten times a second"


def _events(published: list[bytes]) -> list[dict[str, Any]]:
    bodies = [orjson.loads(b64decode(orjson.loads(message)["body"])) for message in published]
    return [event for body in bodies for event in body]


def test_an_event_alone_does_not_wait_for_another(application, connection, published):
    dispatcher = _dispatcher(application, connection)
    _send(dispatcher, "received", 1)
    wait_until(lambda: len(published) == 1, "it has been sent")
    _send(dispatcher, "started", 1)
    wait_until(lambda: len(published) == 2, "so has the next")


def test_events_of_a_lost_connection_are_sent_by_the_next(application, connection, published):
    lost, following = _dispatcher(application, connection), _dispatcher(application, connection)
    _send(lost, "received", 1)
    lost.close()
    following.extend_buffer(lost)
    following.flush()
    wait_until(lambda: len(published) == 1, "it has been sent")


def test_a_batch_that_could_not_be_sent_goes_out_with_the_next(
    application: Application, connection: Connection, published: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    dispatcher = _dispatcher(application, connection)
    failed = threading.Event()

    def away(*_args: Any, **_named: Any) -> None:
        failed.set()
        raise redis.ConnectionError("the broker is away")

    with monkeypatch.context() as outage:
        outage.setattr(dispatcher.producer, "publish", away)
        _send(dispatcher, "received", 1)
        assert failed.wait(60)
        with dispatcher.mutex:  # the batch that failed is kept
            pass
    _send(dispatcher, "started", 1)
    wait_until(lambda: len(_events(published)) == 2, "both are sent")


def test_a_worker_that_was_full_is_woken_when_a_message_is_done(application, connection):
    woken: list[object] = []
    loop = Hub()
    loop.call_soon = woken.append
    channel = connection.default_channel
    assert isinstance(connection.transport, Transport)
    connection.register_with_event_loop(loop)
    for _ in range(3):
        application.send_task("none", queue="interactive")
    channel.basic_qos(0, 3, apply_global=True)
    held = [wait_until(lambda: channel.basic_get("interactive"), "a message") for _ in range(3)]
    held[0].ack()
    assert len(woken) == 1
    held[1].ack()
    assert len(woken) == 2, "the loop might have been taking the last one that fits"
    held[2].ack()
    assert len(woken) == 2, "it was far from full"
