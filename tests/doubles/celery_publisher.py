"""What Celery itself sends for our messages: what the lists in Redis are compared with."""

from collections.abc import Sequence

from celery import Celery, chain, chord
from celery.canvas import Signature

from workers.core.jobs.messages import Message


class SinglePublisher:
    """Sends each message by Celery, which makes a round trip for it.

    Args:
        application: whose broker they go to.
    """

    def __init__(self, application: Celery) -> None:
        self._app = application

    def send(self, messages: Sequence[Message]) -> None:
        """Send messages of their own, over one connection."""
        with self._app.producer_or_acquire() as producer:
            for message in messages:
                self._app.send_task(
                    message.step,
                    args=(message.job_id, message.epoch, message.item_id),
                    queue=message.queue,
                    priority=message.priority,
                    producer=producer,
                    ignore_result=True,
                )

    def chain(self, *chains: Sequence[Message]) -> None:
        """Send the first of each chain; each one's end sends the next."""
        for messages in chains:
            chain(*map(self._signature, messages)).apply_async()

    def chord(self, header: Sequence[Message], body: Message) -> None:
        """Send the header's; when all have ended, the body."""
        chord([*map(self._signature, header)])(self._signature(body))

    def _signature(self, message: Message) -> Signature:
        return self._app.signature(
            message.step,
            args=(message.job_id, message.epoch, message.item_id),
            queue=message.queue,
            immutable=True,
            ignore_result=True,
            priority=message.priority,
        )
