"""Runs an action a little later, once for all requests until then."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Delay:
    """Calls a function after a while in a separate thread, or at once if none can be started.

    Args:
        seconds: from the first request to the call.
        call: the function to call, without arguments.
    """

    def __init__(self, seconds: float, call: Callable[[], None]) -> None:
        self._seconds, self._call = seconds, call
        self._waiting = threading.Lock()  # held from a request to its call

    def start(self) -> None:
        """Request a call, unless one is due already."""
        if self._waiting.acquire(blocking=False):
            timer = threading.Timer(self._seconds, self._fire)
            timer.daemon = True
            try:
                timer.start()
            except RuntimeError:  # there is no thread to be had
                self._fire()

    def _fire(self) -> None:
        self._waiting.release()  # what is requested from now on may come too late for this call
        self._call()
