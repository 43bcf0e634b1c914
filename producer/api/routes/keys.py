"""Routes for API keys; for administrators whose own key is not limited to collections."""

from __future__ import annotations

from fastapi import APIRouter, Response

from hopline.aio.keys import AsyncKeys
from hopline.errors import StateConflict
from hopline.models.keys import Key, KeyCreated, KeyList, KeyScope
from producer.api.access import Caller
from producer.api.context import Api
from producer.api.serving import serves
from producer.service.keys import key_shown

router = APIRouter()

_OF_ALL = "keys are for all"


@serves(router, AsyncKeys.list)
def list_keys(api: Api, caller: Caller) -> KeyList:
    """Return the keys."""
    caller.check_unlimited(_OF_ALL)
    keys = api.service.keys
    return KeyList(keys=tuple(map(key_shown, keys.all())), needed=keys.needed())


@serves(router, AsyncKeys.create, status=201)
def create_key(
    api: Api,
    caller: Caller,
    response: Response,
    name: str,
    scopes: tuple[KeyScope, ...],
    collections: tuple[str, ...] | None,
    principals: tuple[str, ...] | None,
) -> KeyCreated:
    """Create a key."""
    caller.check_unlimited(_OF_ALL)
    key, text = api.service.keys.create(name, frozenset(scopes), collections, principals)
    response.headers["Cache-Control"] = "no-store"
    secret = api.service.webhook_secret(key.id)
    return KeyCreated(**key_shown(key).model_dump(), key=text, webhook_secret=secret)


@serves(router, AsyncKeys.change, 404)
def change_key(api: Api, caller: Caller, key_id: str, principals: tuple[str, ...] | None) -> Key:
    """Change what a key sees."""
    caller.check_unlimited(_OF_ALL)
    return key_shown(api.service.keys.change_principals(key_id, principals))


@serves(router, AsyncKeys.revoke, 404, 409)
def revoke_key(api: Api, caller: Caller, key_id: str) -> Key:
    """Revoke a key.

    Raises:
        StateConflict: it is the caller's own key.
    """
    caller.check_unlimited(_OF_ALL)
    if key_id == caller.id:
        message = (
            f"the key {key_id} cannot revoke itself: use another one, or, where the servers are, "
            f"`hopline --local keys delete {key_id}`"
        )
        raise StateConflict("key_id", key_id, "the id of another key", message=message)
    return key_shown(api.service.keys.revoke(key_id))
