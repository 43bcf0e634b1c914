"""A worker's consumer of messages, which no message can end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from celery.exceptions import NotRegistered
from celery.utils.objects import Bunch
from celery.worker import consumer

from workers.core.errors import worded
from workers.transport.intake import UNREADABLE


class Consumer(consumer.Consumer):
    """Keeps messages that it cannot process among the dead messages, and takes the next.

    Celery logs such messages with all that is in them, and ends the worker at some.
    """

    def create_task_handler(self, *args: Any, **kwargs: Any) -> Callable[[Any], None]:
        """Return the handler of each message."""
        handle = super().create_task_handler(*args, **kwargs)

        def take(message: Any) -> None:
            try:
                handle(message)
            except UNREADABLE as error:
                self._bury(message, worded(error))

        return take

    def on_unknown_message(self, body: Any, message: Any) -> None:  # noqa: ARG002 - Celery's signature
        """Keep a message of another form."""
        self._bury(message, "it names no task")

    def on_unknown_task(self, body: Any, message: Any, exc: Exception) -> None:  # noqa: ARG002 - Celery's
        """Keep a message for a task that is not here, and let who waits for its result know."""
        self._bury(message, f"there is no task {exc}")
        name, task_id = message.headers["task"], message.headers["id"]
        request = Bunch(name=name, chord=None, root_id=None, errbacks=None, **message.properties)
        self.app.backend.mark_as_failure(task_id, NotRegistered(name), request=request)

    def on_invalid_task(self, body: Any, message: Any, exc: Exception) -> None:  # noqa: ARG002 - Celery's
        """Keep a message that its task does not take."""
        self._bury(message, str(exc))

    def on_decode_error(self, message: Any, exc: Exception) -> None:
        """Keep a message whose body cannot be read."""
        self._bury(message, f"its body cannot be read: {exc}")

    def _bury(self, message: Any, reason: str) -> None:
        if not message.acknowledged:
            queue = str((message.delivery_info or {}).get("routing_key", ""))
            message.channel.bury(queue, message._raw, reason)  # noqa: SLF001 - as it was read
            message.ack()
