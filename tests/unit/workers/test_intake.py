"""Whether a worker takes from its queue follows the pauses, also where Celery's message to it is lost."""

from types import SimpleNamespace

import pytest
from celery.app.amqp import Queues
from kombu.entity import Queue

from workers import process
from workers.process import _Intake


class Control:
    """Celery's control of this worker, whose consumer is away for a while."""

    def __init__(self, queues: Queues) -> None:
        self.queues, self.sent, self.connected = queues, list[str](), True

    def add_consumer(self, queue: str, destination: list[str]) -> None:
        self.sent.append(f"add {queue} {destination[0]}")
        if self.connected:
            self.queues.select_add(self.queues[queue])

    def cancel_consumer(self, queue: str, destination: list[str]) -> None:
        self.sent.append(f"cancel {queue} {destination[0]}")
        if self.connected:
            self.queues.deselect(queue)


class Worker:
    """A worker of the bulk queue."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.paused, self.seen = False, True
        self.queues = Queues([Queue("interactive"), Queue("bulk")])
        self.queues.select("bulk")
        self.control = Control(self.queues)
        services = SimpleNamespace(
            store_marker=SimpleNamespace(tell=lambda: self.seen),
            work_pauses=SimpleNamespace(is_paused=lambda *_: self.paused),
        )
        app = SimpleNamespace(control=self.control, amqp=SimpleNamespace(queues=self.queues))
        monkeypatch.setattr(process, "app", app)
        monkeypatch.setattr(process, "runner", lambda: SimpleNamespace(services=services))
        self.intake = _Intake("bulk", "bulk@host")

    @property
    def takes(self) -> bool:
        return "bulk" in self.queues.consume_from


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Worker:
    return Worker(monkeypatch)


@pytest.mark.parametrize("paused", [True, False])
def test_a_worker_whose_message_was_lost_is_asked_again(worker: Worker, *, paused: bool) -> None:
    worker.paused = not paused
    worker.intake.keep()
    assert worker.takes is paused
    worker.paused, worker.control.connected = paused, False
    worker.intake.keep()
    assert worker.takes is paused, "the message was lost"
    worker.control.connected = True
    worker.intake.keep()
    assert worker.takes is not paused


def test_nothing_is_asked_of_a_worker_that_does_as_it_should(worker: Worker) -> None:
    worker.intake.keep()
    assert worker.control.sent == []
    worker.seen = False
    assert [worker.intake.keep() for _ in range(2)] == [False, False]
    worker.seen = True
    assert [worker.intake.keep() for _ in range(2)] == [True, True]
    assert worker.control.sent == ["cancel bulk bulk@host", "add bulk bulk@host"]
