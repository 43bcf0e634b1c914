"""Threads that do the items of documents side by side."""

from __future__ import annotations

import sys
import threading

import pytest

from workers.engine.item_threads import ItemThreads

SECONDS = 300  # of a test that hangs


def test_the_most_urgent_goes_first_and_then_what_came_first() -> None:
    threads, may_go, order = ItemThreads[None](1), threading.Event(), list[str]()
    first = threads.submit(6, lambda: may_go.wait(SECONDS) and None)
    waiting = [(6, "normal"), (9, "low"), (6, "normal, later"), (1, "high")]
    results = [threads.submit(urgency, lambda name=name: order.append(name)) for urgency, name in waiting]
    may_go.set()
    for result in (first, *results):
        result.result(SECONDS)
    assert order == ["high", "normal", "normal, later", "low"]


def test_there_are_as_many_threads_as_are_needed_and_no_more_than_are_allowed() -> None:
    threads, together = ItemThreads[None](3), threading.Barrier(4)
    results = [threads.submit(0, lambda: together.wait(SECONDS) and None) for _ in range(3)]
    assert not any(result.done() for result in results)
    together.wait(SECONDS)
    for result in results:
        result.result(SECONDS)


def test_what_a_call_raises_is_raised_to_who_waits_for_it_and_its_thread_serves_on() -> None:
    threads = ItemThreads[None](1)
    with pytest.raises(ZeroDivisionError):
        threads.submit(0, lambda: 1 // 0 and None).result(SECONDS)
    with pytest.raises(SystemExit):
        threads.submit(0, sys.exit).result(SECONDS)
    assert threads.submit(0, lambda: None).result(SECONDS) is None
