"""Limits the time and bytes that one statement may take, counted on the client below the driver."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from neo4j import Driver

_IDLE_SECONDS = 5.0  # for what the driver says outside of a statement


class Meter:
    """Seconds and bytes that are left.

    Args:
        seconds: from now on.
        size: bytes that may be received.
    """

    def __init__(self, seconds: float, size: int) -> None:
        self._deadline = time.monotonic() + seconds
        self._left = size
        self.late = False  # it has waited until its deadline
        self.full = False  # it has received all it may

    def remaining(self) -> float:
        """Return the seconds left.

        Raises:
            TimeoutError: there are none.
        """
        left = self._deadline - time.monotonic()
        if left <= 0:
            self.late = True
            raise TimeoutError("the statement's time is over")
        return left

    def received(self, size: int) -> None:
        """Count what was received.

        Raises:
            OSError: it is more than may be.
        """
        self._left -= size
        if self._left < 0:
            self.full = True
            raise OSError("the statement returns too many bytes")

    def hurry(self, seconds: float) -> None:
        """Leave no more than these seconds."""
        self._deadline = min(self._deadline, time.monotonic() + seconds)

    def stop(self) -> None:
        """Take nothing more: the connection is closed instead of emptied."""
        self._left = -1


_running = threading.local()


@contextmanager
def metered(meter: Meter) -> Iterator[None]:
    """Have this thread's connections obey a meter."""
    _running.meter = meter
    try:
        yield
    finally:
        _running.meter = None


def meter_connections(driver: Driver) -> None:
    """Have all connections of a driver obey the meter of the thread that uses them.

    The driver has a time limit for opening a connection and none for an answer, and it holds a row in memory
    before it hands it out, however large: both can only be bounded where it receives. These attributes are
    not its public ones; an integration test tells when they have moved.
    """
    pool: Any = driver._pool  # noqa: SLF001 - see above
    opened = pool.opener

    def open_metered(*arguments: Any) -> Any:
        connection = opened(*arguments)
        _meter_socket(connection.socket)
        return connection

    pool.opener = open_metered


def _meter_socket(socket: Any) -> None:
    receive, send = socket.recv_into, socket.sendall

    def recv_into(buffer: Any, size: int) -> int:
        meter: Meter | None = getattr(_running, "meter", None)
        socket.set_read_timeout(meter.remaining() if meter else _IDLE_SECONDS)
        try:
            count = int(receive(buffer, size))
        except TimeoutError:
            if meter:
                meter.late = True
            raise
        if meter:
            meter.received(count)
        return count

    def sendall(data: Any) -> Any:
        meter: Meter | None = getattr(_running, "meter", None)
        socket.set_write_timeout(meter.remaining() if meter else _IDLE_SECONDS)
        return send(data)

    socket.recv_into, socket.sendall = recv_into, sendall
