"""Conversations: kept questions and answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from pydantic import Field

from hopline.aio.noun import AsyncNoun
from hopline.aio.paging import each
from hopline.models.collections import CollectionName
from hopline.models.conversations import (
    Conversation,
    ConversationContent,
    ConversationId,
    ConversationPage,
    ConversationTitle,
)
from hopline.operation import Cursor, operation

_Collection = Annotated[
    CollectionName | None, Field(description="Only conversations that began with this collection.")
]
_Words = Annotated[
    str, Field(max_length=200, description="Only conversations with this text in the title or a question.")
]


class AsyncConversations(AsyncNoun):
    """Conversations. A question belongs to one by the parameter `conversation` of its submission."""

    @operation("GET", "/v1/conversations", right="read")
    async def list(
        self,
        *,
        collection: _Collection = None,
        q: _Words = "",
        cursor: Cursor = "",
        limit: Annotated[int, Field(ge=1, le=200)] = 50,
    ) -> ConversationPage:
        """List the caller's own conversations, most recent question first."""
        raise NotImplementedError

    def iterate(self, *, collection: str | None = None, q: str = "") -> AsyncIterator[Conversation]:
        """Yield all conversations that `list` lists."""
        return each(
            lambda cursor: self.list(collection=collection, q=q, cursor=cursor, limit=200),
            lambda page: page.conversations,
        )

    @operation("GET", "/v1/conversations/{conversation_id}", right="read")
    async def get(self, conversation_id: ConversationId) -> ConversationContent:
        """Show a conversation of the caller, or a shared one: its questions with their answers.

        Answers that rest on documents which the reader may not see are left out; in a shared conversation, so
        is everything after the first such answer.

        Raises:
            NotFound: there is no such conversation, or the caller may see nothing of it.
        """
        raise NotImplementedError

    @operation("PATCH", "/v1/conversations/{conversation_id}", right="submit", safe=True)
    async def update(
        self,
        conversation_id: ConversationId,
        *,
        title: ConversationTitle | None = None,
        shared: Annotated[
            bool | None, Field(description="Whether others who may read its collections can open it.")
        ] = None,
    ) -> Conversation:
        """Rename a conversation, share it, or stop sharing it; null changes nothing.

        Raises:
            NotFound: there is none, or it is somebody else's.
        """
        raise NotImplementedError

    @operation("DELETE", "/v1/conversations/{conversation_id}", right="submit")
    async def delete(self, conversation_id: ConversationId) -> Conversation:
        """Delete a conversation with its answers. Its jobs stay until they expire.

        Raises:
            NotFound: there is none, or it is somebody else's.
        """
        raise NotImplementedError
