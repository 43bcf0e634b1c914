"""Dead messages: messages in the broker that no worker could process."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from hopline.aio.noun import AsyncNoun
from hopline.allowed_values import InWords
from hopline.models.messages import DeadMessage, DeadMessages
from hopline.operation import operation

_Id = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9a-f]{16}$"),
    InWords("the id of a dead message"),
    Field(description="The message's id, as in the list."),
]


class AsyncMessages(AsyncNoun):
    """Messages in the broker that no worker could process."""

    @operation("GET", "/v1/dead-messages", right="admin")
    async def list(self, *, limit: Annotated[int, Field(ge=1, le=1000)] = 20) -> DeadMessages:
        """List the newest dead messages with time, queue, reason and beginning."""
        raise NotImplementedError

    @operation("GET", "/v1/dead-messages/{message_id}", right="admin")
    async def get(self, message_id: _Id) -> DeadMessage:
        """Show a dead message with its text.

        Raises:
            NotFound: there is no such message, or it is no longer kept.
        """
        raise NotImplementedError

    @operation("POST", "/v1/dead-messages/{message_id}/send", right="admin")
    async def send(self, message_id: _Id) -> DeadMessage:
        """Put a dead message back into its queue; if that fails again, it is a dead message again.

        Raises:
            NotFound: there is no such message, or it is no longer kept.
            InvalidInput: its text is not complete, or is not a message.
        """
        raise NotImplementedError

    @operation("DELETE", "/v1/dead-messages/{message_id}", right="admin")
    async def delete(self, message_id: _Id) -> DeadMessage:
        """Delete a dead message.

        Raises:
            NotFound: there is no such message, or it is no longer kept.
        """
        raise NotImplementedError
