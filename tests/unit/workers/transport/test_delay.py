"""A delayed call is made once for all requests until then, also where no thread can be started."""

import threading

import pytest

from workers.transport.delay import Delay


def test_requests_until_the_call_are_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    waiting: list[threading.Timer] = []

    def wait(timer: threading.Timer) -> None:
        waiting.append(timer)

    monkeypatch.setattr(threading.Timer, "start", wait)
    delay = Delay(0.01, lambda: calls.append(1))
    for count in (1, 2):
        for _ in range(3):
            delay.start()
        [timer] = waiting
        timer.function()
        assert len(calls) == count
        waiting.clear()


def test_the_call_comes_by_itself() -> None:
    called = threading.Event()
    Delay(0.01, called.set).start()
    assert called.wait(60)


def test_without_a_thread_the_call_is_made_at_once_and_later_ones_too(monkeypatch):
    calls: list[int] = []
    delay = Delay(0.01, lambda: calls.append(1))
    monkeypatch.setattr(threading.Timer, "start", _refused)
    delay.start()
    delay.start()
    assert len(calls) == 2


def _refused(_timer: threading.Timer) -> None:
    raise RuntimeError("can't start new thread")
