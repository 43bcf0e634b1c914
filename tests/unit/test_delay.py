"""A delayed call is made once for all requests until then, also where no thread can be started."""

from __future__ import annotations

import threading

import pytest

from workers.transport.delay import Delay


def test_requests_until_the_call_are_one_call() -> None:
    called = threading.Semaphore(0)
    delay = Delay(0.01, called.release)
    for _ in range(3):
        delay.start()
    assert called.acquire(timeout=5)
    assert not called.acquire(timeout=0.1)
    delay.start()
    assert called.acquire(timeout=5)


def test_without_a_thread_the_call_is_made_at_once_and_later_ones_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[int] = []
    delay = Delay(0.01, lambda: calls.append(1))
    monkeypatch.setattr(threading.Timer, "start", _refused)
    delay.start()
    delay.start()
    assert len(calls) == 2


def _refused(_timer: threading.Timer) -> None:
    raise RuntimeError("can't start new thread")
