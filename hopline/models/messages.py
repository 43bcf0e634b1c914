"""Messages in the broker that no worker could process."""

from __future__ import annotations

from pydantic import Field

from hopline.models.base import Frozen
from hopline.models.times import Timestamp


class DeadMessage(Frozen):
    """A message that was taken from a queue but not processed."""

    id: str
    queue: str
    reason: str
    at: Timestamp
    what: str = Field(description="Its task and id, or the beginning of any other text.")
    text: str | None = Field(
        default=None,
        description="The message as it was in the queue, without secrets of API keys; only if one message "
        "is shown.",
    )


class DeadMessages(Frozen):
    """Dead messages, newest first."""

    messages: tuple[DeadMessage, ...]
