"""Service for API keys: who may use the HTTP API, and for what. Only their hashes are stored."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from typing import Literal, cast

import redis

from workers.core.errors import InvalidInput, NotFound
from workers.core.jobs.params import check_collection
from workers.core.records import Frozen

Scope = Literal["read", "submit", "admin"]
SCOPES: tuple[Scope, ...] = ("read", "submit", "admin")
STORED = "hop:api-keys"  # hash: key id → an ApiKey as JSON; while it holds anything, a key is needed
_MARKER = "needed"  # a field of it that stays when the last key is revoked
OPENED = "hop:api-keys-open"  # there since `open`: only then does a server forget that it has seen a key

_NAME = re.compile(r"[\w .@-]{1,100}")
_TEXT = re.compile(r"hop_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")


class ApiKey(Frozen):
    """What is kept of a key."""

    id: str
    name: str
    digest: str  # sha-256 hex of the secret: 256 random bits need no slow hash
    scopes: frozenset[Scope]
    collections: tuple[str, ...] | None = None  # None is all
    created: float  # seconds since the epoch

    def may(self, scope: Scope) -> bool:
        """Return whether the key has a scope; admin has all, and who submits may read."""
        return bool(self.scopes & set(SCOPES[SCOPES.index(scope) :]))


# Who calls without a key, where there are none and the server listens on the loopback only.
LOCAL = ApiKey(id="", name="local", digest="", scopes=frozenset({"admin"}), created=0.0)


class ApiKeys:
    """The keys in Redis.

    Args:
        client: a Redis client with `decode_responses`.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def create(
        self, name: str, scopes: frozenset[str], collections: tuple[str, ...] | None = None
    ) -> tuple[ApiKey, str]:
        """Make a key; return it and its text, which is shown this once and cannot be read again.

        Raises:
            InvalidInput: the name, a scope or a collection is not valid.
        """
        if not _NAME.fullmatch(name):
            raise InvalidInput("name", name, "1 to 100 letters, digits, spaces, '.', '-', '_' or '@'")
        wrong = sorted(scopes - set(SCOPES))
        if wrong or not scopes:
            raise InvalidInput("scope", ", ".join(wrong), "one or more of: " + ", ".join(SCOPES))
        for collection in collections or ():
            check_collection(collection)
        secret = secrets.token_urlsafe(32)
        key = ApiKey(
            id=secrets.token_hex(6),
            name=name,
            digest=_digest(secret),
            scopes=cast("frozenset[Scope]", scopes),
            collections=collections,
            created=time.time(),
        )
        pipeline = self._client.pipeline(transaction=True)
        pipeline.hset(STORED, mapping={key.id: key.model_dump_json(), _MARKER: "1"})
        pipeline.delete(OPENED)
        pipeline.execute()
        return key, f"hop_{key.id}_{secret}"

    def all(self) -> list[ApiKey]:
        """Return the keys, oldest first."""
        stored = cast("dict[str, str]", self._client.hgetall(STORED))
        stored.pop(_MARKER, None)
        return sorted(map(ApiKey.read_stored, stored.values()), key=lambda key: key.created)

    def revoke(self, key_id: str) -> ApiKey:
        """Remove a key; it opens nothing from now on. Return what it was. Without keys, a key stays needed.

        Raises:
            NotFound: there is no such key.
        """
        stored = cast("str | None", self._client.hget(STORED, key_id))
        if stored is None or key_id == _MARKER:
            raise NotFound(f"no key {key_id}: `hopline keys list` shows them")
        pipeline = self._client.pipeline(transaction=True)
        pipeline.hset(STORED, _MARKER, "1")
        pipeline.hdel(STORED, key_id)
        pipeline.execute()
        return ApiKey.read_stored(stored)

    def needed(self) -> bool:
        """Return whether requests need a key: there is one, or was, and `drop_need` was not called since."""
        return bool(self._client.hlen(STORED))

    def drop_need(self) -> None:
        """Let servers on the loopback do without keys, those that run too.

        Raises:
            InvalidInput: there are keys.
        """
        found = self.all()
        if found:
            names = ", ".join(f"{key.id} ({key.name})" for key in found)
            raise InvalidInput("keys", names, "none: revoke them first")
        pipeline = self._client.pipeline(transaction=True)
        pipeline.set(OPENED, "1")
        pipeline.hdel(STORED, _MARKER)  # a key that is made meanwhile stays, and is needed
        pipeline.execute()


def is_needed(fields: int, *, seen: bool, opened: bool) -> bool:
    """Return whether a server needs a key.

    Redis may lose its data, and opens nothing by that: a server that has seen a key goes on asking.

    Args:
        fields: of STORED.
        seen: this server knows of a key.
        opened: OPENED is there.
    """
    return fields > 0 or (seen and not opened)


def key_id(text: str) -> str | None:
    """Return the id in an API key's text; None if the text is not a key."""
    found = _TEXT.fullmatch(text)
    return found[1] if found else None


def opened_by(text: str, stored: str | None) -> ApiKey | None:
    """Return the key that matches a text; `stored` is the record under the text's id, or None."""
    found = _TEXT.fullmatch(text)
    if found is None or stored is None:
        return None
    key = ApiKey.read_stored(stored)
    return key if hmac.compare_digest(key.digest, _digest(found[2])) else None


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
