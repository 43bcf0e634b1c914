"""Models of the messages sent to workers, and the port that sends them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hopline.models.base import Frozen


class Message(Frozen):
    """What Celery carries, and where to."""

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
        """Send messages of their own."""

    def chain(self, *chains: Sequence[Message]) -> None:
        """Send the first of each chain; each one's end sends the next."""

    def chord(self, header: Sequence[Message], body: Message) -> None:
        """Send the header's; when all have ended, the body."""
