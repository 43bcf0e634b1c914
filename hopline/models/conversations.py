"""Conversations: kept questions and answers."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from hopline.allowed_values import InWords
from hopline.models.base import Frozen, Page
from hopline.models.jobs import ToldState
from hopline.models.outcomes import AnyOutcome
from hopline.models.times import Timestamp

MOST_TITLE = 200  # characters
ConversationId = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9a-f]{32}$"),
    InWords("the id of a conversation: 32 hexadecimal digits, as of a random UUID"),
    Field(examples=["0" * 32]),
]
ConversationTitle = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class ConversationAbout(Frozen):
    """The properties of a conversation."""

    id: str
    title: str = Field(description="The beginning of its first question, unless its owner has renamed it.")
    collection: str = Field(description="The collection of its first question.")
    created: Timestamp
    updated: Timestamp = Field(description="Time of its newest question.")
    shared: bool = Field(description="Whether others who may read its collections can open it.")
    own: bool = Field(description="Whether the reader may rename, share, delete and continue it.")


class Conversation(ConversationAbout):
    """A conversation in a list."""

    turns: int = Field(description="Number of questions.")


class ConversationPage(Page):
    """Conversations, most recent question first."""

    conversations: list[Conversation]


class ConversationTurn(Frozen):
    """A question of a conversation, and its job's outcome."""

    job_id: str
    question: str
    collections: tuple[str, ...] = Field(default=(), description="The collections that it read.")
    state: ToldState
    asked: Timestamp
    ended: Timestamp | None = None
    outcome: AnyOutcome | None = Field(default=None, description="Null until the job has ended.")


class ConversationContent(ConversationAbout):
    """A conversation with its questions, oldest first, as far as the reader may see them."""

    turns: tuple[ConversationTurn, ...]
