"""Models of messages to workers, and the port for sending them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hopline.models.base import Frozen


class Message(Frozen):
    """The contents of a Celery message, and its destination."""

    job_id: str
    epoch: int
    item_id: str
    step: str
    queue: str = "interactive"
    priority: int = 0  # 0 to 9; 0 is served first
    # Whose it is: who shares a queue with others gets its share of it. Empty: it waits for nobody's turn.
    caller: str = ""  # the id of the API key of its job, if it has one
    collection: str = ""


class Publisher(Protocol):
    """Sends messages to workers."""

    def send(self, messages: Sequence[Message]) -> None:
        """Send independent messages."""

    def chain(self, *chains: Sequence[Message]) -> None:
        """Send the first message of each chain; when it has been processed, the next one is sent."""

    def chord(self, header: Sequence[Message], body: Message) -> None:
        """Send the header's messages; when all of them have been processed, send the body."""
