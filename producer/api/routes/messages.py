"""Routes for dead messages: list, show, send again, delete."""

from __future__ import annotations

from fastapi import APIRouter

from hopline.aio.messages import AsyncMessages
from hopline.models.messages import DeadMessage, DeadMessages
from producer.api.access import Caller
from producer.api.context import Api
from producer.api.serving import serves

router = APIRouter()

_OF_ALL = "messages of all collections lie there"


@serves(router, AsyncMessages.list)
def list_messages(api: Api, caller: Caller, limit: int) -> DeadMessages:
    """Return the newest dead messages."""
    caller.check_unlimited(_OF_ALL)
    return DeadMessages(messages=api.service.messages.newest(limit))


@serves(router, AsyncMessages.get, 404)
def show_message(api: Api, caller: Caller, message_id: str) -> DeadMessage:
    """Return a dead message with its text."""
    caller.check_unlimited(_OF_ALL)
    return api.service.messages.get(message_id)


@serves(router, AsyncMessages.send, 404)
def send_message(api: Api, caller: Caller, message_id: str) -> DeadMessage:
    """Put a dead message back into its queue."""
    caller.check_unlimited(_OF_ALL)
    return api.service.messages.send(message_id)


@serves(router, AsyncMessages.delete, 404)
def delete_message(api: Api, caller: Caller, message_id: str) -> DeadMessage:
    """Delete a dead message."""
    caller.check_unlimited(_OF_ALL)
    return api.service.messages.delete(message_id)
