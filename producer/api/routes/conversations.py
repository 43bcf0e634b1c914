"""Routes for conversations: list, show, change, delete."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter

from hopline.aio.conversations import AsyncConversations
from hopline.errors import InvalidInput
from hopline.models.conversations import (
    Conversation,
    ConversationContent,
    ConversationPage,
    ConversationTurn,
)
from producer.api.access import Caller, is_revoked
from producer.api.context import Api
from producer.api.principals.conversations import own_turns, shared_turns
from producer.api.serving import serves
from producer.service.conversations import title_of, unknown_conversation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workers.core.answers.kept import KeptConversation, KeptQuestion

router = APIRouter()

_PLACE = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,9})?):([0-9a-f]{32})")  # that a list goes on from


@serves(router, AsyncConversations.list)
def list_conversations(
    api: Api, caller: Caller, collection: str | None, q: str, cursor: str, limit: int
) -> ConversationPage:
    """Return a page of the caller's conversations."""
    within = None if collection is None else caller.collection(collection)
    place = _PLACE.fullmatch(cursor)
    if cursor and not place:
        raise InvalidInput("cursor", cursor, "the `next` of a page of conversations")
    before = (float(place[1]), place[2]) if place else None
    owned = api.service.conversations.of_owner(caller.owner, within, q)
    seen = (found for found in owned if all(map(caller.sees, found[1][0].collections)))
    rest = (found for found in seen if before is None or _place(found) < before)
    page = list(islice(rest, limit + 1))
    listed = [_listed(caller, *found) for found in page[:limit]]
    behind = "{:.6f}:{}".format(*_place(page[limit - 1])) if len(page) > limit else None
    return ConversationPage(conversations=listed, next=behind)


@serves(router, AsyncConversations.get, 404)
def show_conversation(api: Api, caller: Caller, conversation_id: str) -> ConversationContent:
    """Return a conversation as the caller may see it."""
    about, questions = api.service.conversations.read(conversation_id)
    own = about.owner == caller.owner
    if not own and (not about.shared or is_revoked(api, about.owner)):
        raise unknown_conversation(conversation_id)
    shown = (
        own_turns(api, caller, about.id, questions) if own else shared_turns(api, caller, about, questions)
    )
    turns = tuple(shown)
    if not turns:
        raise unknown_conversation(conversation_id)
    fields = _fields(caller, about, turns)
    if not own:  # earlier questions may tell of what the reader may not see
        fields["created"] = turns[0].asked
    updated = max(turn.asked for turn in turns)
    return ConversationContent(**fields, updated=updated, turns=turns)


@serves(router, AsyncConversations.update, 404)
def change_conversation(
    api: Api, caller: Caller, conversation_id: str, title: str | None, shared: bool | None
) -> Conversation:
    """Rename, share or unshare a conversation."""
    about, questions = _own(api, caller, conversation_id)
    given = {"title": title, "shared": shared}
    changes = {name: value for name, value in given.items() if value is not None}
    collection = questions[0].collections[0]
    return _listed(caller, api.service.conversations.update(about.id, collection, changes), questions)


@serves(router, AsyncConversations.delete, 404)
def delete_conversation(api: Api, caller: Caller, conversation_id: str) -> Conversation:
    """Delete a conversation."""
    about, questions = _own(api, caller, conversation_id)
    api.service.conversations.delete(about.id, questions[0].collections[0])
    return _listed(caller, about, questions)


def _own(api: Api, caller: Caller, conversation_id: str) -> tuple[KeptConversation, list[KeptQuestion]]:
    about, questions = api.service.conversations.read(conversation_id)
    if about.owner != caller.owner:
        raise unknown_conversation(conversation_id)
    return about, questions


def _place(found: tuple[KeptConversation, Sequence[KeptQuestion]]) -> tuple[float, str]:
    about, questions = found
    return round(questions[-1].asked, 6), about.id


def _listed(caller: Caller, about: KeptConversation, questions: Sequence[KeptQuestion]) -> Conversation:
    fields = _fields(caller, about, questions)
    return Conversation(**fields, updated=questions[-1].asked, turns=len(questions))


def _fields(
    caller: Caller, about: KeptConversation, questions: Sequence[KeptQuestion | ConversationTurn]
) -> dict[str, Any]:
    """Return the fields of a conversation of which only these questions are visible."""
    first = questions[0]
    fields = about.model_dump(exclude={"owner", "hidden_from"})
    named = {"title": about.title or title_of(first.question), "collection": first.collections[0]}
    return {**fields, **named, "own": about.owner == caller.owner}
