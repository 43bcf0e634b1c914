"""Celery's task events, sent in batches ten times a second instead of individually."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from celery.app import events
from celery.events.dispatcher import EventDispatcher

from workers.transport.delay import Delay

if TYPE_CHECKING:
    from workers.app import Application

_SECONDS = 0.1  # that an event waits for others
_MOST = 500  # events that wait; with more, they are sent at once


class BatchingDispatcher(EventDispatcher):
    """Sends a worker's task events in batches, by a thread of their own; all others at once."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs.get("buffer_group"):
            # Celery would send at the next turn of the worker's loop, and wake the loop for it.
            later = Delay(_SECONDS, self._send_waiting)
            kwargs |= {"on_send_buffered": later.start, "buffer_limit": _MOST}
        super().__init__(*args, **kwargs)

    def _send_waiting(self) -> None:
        """Send earlier unsent events and new ones; keep those that fail again."""
        with self.mutex:
            failed = list(self._outbound_buffer)
            self._outbound_buffer.clear()
            for event, routing_key in failed:
                self._publish(event, self.producer, routing_key)
            for group, waiting in self._group_buffer.items():
                events = list(waiting)
                del waiting[: len(events)]  # before the sending: Celery empties the very list that it keeps
                if events:
                    self._publish(events, self.producer, f"{group}.multi")

    def extend_buffer(self, other: EventDispatcher) -> None:
        """Take over what another dispatcher has not sent."""
        super().extend_buffer(other)
        for group, waiting in other._group_buffer.items():  # noqa: SLF001 - Celery leaves these behind
            self._group_buffer[group] += waiting


class Events(events.Events):
    """What Celery calls `app.events`, with batches."""

    app: Application

    @cached_property
    def Dispatcher(self) -> type[EventDispatcher]:  # noqa: N802 - Celery's name
        """The dispatcher's class, bound to this application."""
        return self.app.subclass_with_self(  # type: ignore[no-any-return]
            BatchingDispatcher, reverse="events.Dispatcher"
        )
