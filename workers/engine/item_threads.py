"""Threads that do the items of one task side by side, the most urgent job's first."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import PriorityQueue
from typing import Generic, TypeVar

Result = TypeVar("Result")


class ItemThreads(Generic[Result]):
    """Threads of a worker process, started as they are needed; they end with it.

    Args:
        most: how many there are at most.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._calls: PriorityQueue[tuple[int, int, Callable[[], Result], Future[Result]]] = PriorityQueue()
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._started = 0
        self._open = 0  # calls that wait or are being made

    def submit(self, priority: int, call: Callable[[], Result]) -> Future[Result]:
        """Make a call as soon as a thread is free; lower numbers first, then those that came first."""
        result: Future[Result] = Future()
        with self._lock:
            self._open += 1
            if self._open > self._started < self._most:
                self._started += 1
                threading.Thread(target=self._serve, name=f"item-{self._started}", daemon=True).start()
        self._calls.put((priority, next(self._numbers), call, result))
        return result

    def _serve(self) -> None:
        while True:
            _priority, _number, call, result = self._calls.get()
            try:
                result.set_result(call())
            except BaseException as error:  # noqa: BLE001 - whoever waits for the result raises it
                result.set_exception(error)
            del call, result  # nothing is kept of them while this thread waits for the next
            with self._lock:
                self._open -= 1
