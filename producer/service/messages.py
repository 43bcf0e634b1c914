"""Service for dead messages: messages in the broker that no worker could process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.errors import NotFound
from hopline.models.messages import DeadMessage
from producer.service.backend import Part

if TYPE_CHECKING:
    from workers.transport.dead_messages import Buried

_KIND = "message"


class Messages(Part):
    """The dead messages of all queues."""

    def newest(self, limit: int) -> tuple[DeadMessage, ...]:
        """Return the newest dead messages, without their texts."""
        return tuple(_told(each) for each in self._kept(limit))

    def get(self, message_id: str) -> DeadMessage:
        """Return a dead message with its text.

        Raises:
            NotFound: there is no such message, or it is no longer kept.
        """
        found = self._find(message_id)
        return _told(found).model_copy(update={"text": found.message.text})

    def send(self, message_id: str) -> DeadMessage:
        """Put a dead message back into its queue; return it.

        Raises:
            NotFound: there is no such message, or it is no longer kept.
            InvalidInput: its text is not complete, or is not a message.
        """
        from workers.transport.dead_messages import send_again

        with self._audit.act("retry", _KIND, message_id):
            found = self._find(message_id)
            if not send_again(self._services.broker_redis, found):
                raise _gone(message_id)
        return _told(found)

    def delete(self, message_id: str) -> DeadMessage:
        """Delete a dead message; return it.

        Raises:
            NotFound: there is no such message, or it is no longer kept.
        """
        from workers.transport.dead_messages import forget

        with self._audit.act("remove", _KIND, message_id):
            found = self._find(message_id)
            if not forget(self._services.broker_redis, found):
                raise _gone(message_id)
        return _told(found)

    def _find(self, message_id: str) -> Buried:
        for each in self._kept(None):
            if each.id == message_id:
                return each
        raise _gone(message_id)

    def _kept(self, limit: int | None) -> list[Buried]:
        from workers.transport.dead_messages import buried

        return buried(self._services.broker_redis, limit)


def _told(each: Buried) -> DeadMessage:
    message = each.message
    return DeadMessage(id=each.id, queue=message.queue, reason=message.reason, at=message.at, what=each.what)


def _gone(message_id: str) -> NotFound:
    return NotFound(f"no dead message {message_id}, or it is gone: `hopline messages` lists them")
