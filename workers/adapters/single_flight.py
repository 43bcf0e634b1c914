"""A single-flight cache: one thread reads a value for all, and results and failures are kept a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

Value = TypeVar("Value")

_FAILED_SECONDS = 5.0  # nobody waits for a server that has just let somebody wait in vain


class SingleFlight(Generic[Value]):
    """A cached value with an expiry; safe to share between threads.

    Who asks while another thread reads gets what that one finds, a failure included: were each to try for
    itself in turn, the last of many would wait as often as there are threads. Where the value has only just
    grown old, it is given meanwhile.

    Args:
        read: returns the value; whatever it raises is raised to all who wait.
        life: seconds that a value is taken for the present one.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        read: Callable[[], Value],
        life: Callable[[Value], float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read = read
        self._life = life
        self._clock = clock
        self._lock = threading.Lock()  # of what follows; nobody reads while holding it
        self._found: Future[Value] | None = None  # of the latest reading that has ended
        self._began = self._until = self._given_until = 0.0  # of that reading, and of what it found
        self._reading: Future[Value] | None = None  # of one under way

    def get(self, *, refresh: bool = False) -> Value:
        """Return the value, read again if it is stale or a fresh one is requested.

        Args:
            refresh: a reading that began before this call is not enough; a failure of one is.
        """
        start = self._clock()
        while True:
            with self._lock:
                if (kept := self._kept(start if refresh else None)) is not None:
                    return _result(kept)
                others, mine = self._reading, Future[Value]()
                if others is None:
                    self._reading = mine
            if others is None:
                self._fill(mine)
                return _result(mine)
            if others.exception() is not None or not refresh:  # waits
                return _result(others)

    def _kept(self, since: float | None) -> Future[Value] | None:
        """Return what need not be read again; since: of a reading that began later."""
        if since is not None:
            return self._found if self._began > since else None
        until = self._given_until if self._reading else self._until
        return self._found if self._clock() < until else None

    def _fill(self, mine: Future[Value]) -> None:
        began = self._clock()
        try:
            value = self._read()
        except BaseException as error:  # noqa: BLE001 - raised again to all who wait, this thread among them
            with self._lock:
                mine.set_exception(error)
                self._end(mine, began, _FAILED_SECONDS)
        else:
            with self._lock:
                mine.set_result(value)
                self._end(mine, began, self._life(value), again=True)

    def _end(self, mine: Future[Value], began: float, life: float, *, again: bool = False) -> None:
        self._found, self._reading, self._began = mine, None, began
        self._until = self._clock() + life
        self._given_until = self._until + (life if again else 0.0)


def _result(ended: Future[Value]) -> Value:
    if (error := ended.exception()) is not None:
        raise error.with_traceback(None)  # else it would grow with everyone to whom it is raised
    return ended.result()
