"""Follows a job's events over HTTP, each exactly once, across reconnects."""

from __future__ import annotations

import queue
import threading
import time
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import httpx2
import orjson

from hopline.models.jobs import JobState
from workers.core.jobs.work import Event

if TYPE_CHECKING:
    from producer.client.http.connection import Connection

Entry = tuple[str, Event]  # id, event
_BATCH = 500
_PAUSE = 0.3  # seconds before a stream that brought nothing is opened again


class SseFeed:
    """One reader of a job's events.

    A thread holds the stream open, so that a read can wait for as long as its caller likes and no longer. It
    ends with the stream, and within one sign of life when the feed is dropped.

    Args:
        connection: to the API.
        path: of the job.
    """

    def __init__(self, connection: Connection, path: str) -> None:
        self._connection = connection
        self._path = path
        self._stream: _Stream | None = None
        self._barren = False  # the last stream brought nothing

    def read(self, after: str, block: float | None) -> list[Entry]:
        """Return (id, event) after an id; see `producer.client.link.Feed.read`."""
        if self._stream is None:
            if block is None:
                return []
            if self._barren:
                time.sleep(min(block, _PAUSE))
            self._stream = _Stream(self._connection, f"{self._path}/events", after)
            weakref.finalize(self, self._stream.stop.set)
        stream = self._stream
        entries = stream.take(block or 0.0)
        if stream.over:
            self._stream, self._barren = None, not stream.brought
            if stream.fault is not None and not entries:
                raise stream.fault
        return entries

    def has_ended(self) -> bool:
        """Return whether the job has ended: not while its stream is open."""
        if self._stream is not None:
            return False
        state = self._connection.get(self._path)["state"]
        return JobState(state) is not JobState.RUNNING


class _Stream:
    """One connection's events, read by a thread of its own."""

    def __init__(self, connection: Connection, path: str, after: str) -> None:
        self.stop = threading.Event()
        self.over = False  # all that came was taken
        self.fault: Exception | None = None  # why it ended
        self.brought = False  # anything
        self._came: queue.SimpleQueue[Entry | Exception | None] = queue.SimpleQueue()
        arguments = (connection, path, after, self._came, self.stop)
        threading.Thread(target=_pump, args=arguments, name="hopline-events", daemon=True).start()

    def take(self, block: float) -> list[Entry]:
        """Return the received events; wait so many seconds for the first."""
        taken: list[Entry] = []
        try:
            while not self.over and len(taken) < _BATCH:
                arrival = self._came.get(timeout=block) if not taken else self._came.get_nowait()
                if isinstance(arrival, tuple):
                    taken.append(arrival)
                else:
                    self.over, self.fault = True, arrival
        except queue.Empty:
            pass
        self.brought = self.brought or bool(taken)
        return taken


def _pump(
    connection: Connection,
    path: str,
    after: str,
    came: queue.SimpleQueue[Entry | Exception | None],
    stop: threading.Event,
) -> None:
    """Pass on a stream's events, then the reason of its end: None if it was complete."""
    try:
        with connection.events(path, after) as response:
            if response is not None:
                response.stream = _Until(cast("httpx2.SyncByteStream", response.stream), stop)
                for message in httpx2.EventSource(response, max_event_size=None):
                    # What has no id of its own, a snapshot, comes behind the one before it.
                    after = message.id or after
                    came.put((after, Event(name=message.event, data=orjson.loads(message.data))))
    except _Dropped:
        return
    except Exception as error:  # noqa: BLE001 - raised where it is read
        came.put(error)
    else:
        came.put(None)


class _Dropped(Exception):
    """The stream has no reader any more."""


class _Until(httpx2.SyncByteStream):
    """A stream that can be stopped, at the next bytes that arrive."""

    def __init__(self, stream: httpx2.SyncByteStream, stop: threading.Event) -> None:
        self._stream = stream
        self._stop = stop

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._stream:
            if self._stop.is_set():
                raise _Dropped
            yield piece

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()
