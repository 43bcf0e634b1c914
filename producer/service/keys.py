"""Service for the API keys of the HTTP API. Only their hashes are stored."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Collection, Sequence
from typing import cast

import redis

from hopline.errors import InvalidInput, NotFound
from hopline.models.base import Frozen
from hopline.models.keys import NAME_WORDS, Key, KeyScope
from hopline.principals import checked_principals
from workers.core.jobs.params import check_collection
from workers.core.redis_keys import API_KEYS

ACT_AS: KeyScope = "act-as"  # beside the others; each of those includes the ones before it
SCOPES: tuple[KeyScope, ...] = ("read", "submit", "admin")
STORED = API_KEYS  # while it holds anything, a key is needed
_MARKER = "needed"  # a field of it that stays when the last key is revoked
OPENED = "hop:api-keys-open"  # there since `open`: only then does a server forget that it has seen a key

_NAME = re.compile(r"[\w .@-]{1,100}")
_TEXT = re.compile(r"hop_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")


class ApiKey(Frozen):
    """The stored record of a key."""

    id: str
    name: str
    digest: str  # sha-256 hex of the secret: 256 random bits need no slow hash
    scopes: frozenset[KeyScope]
    collections: tuple[str, ...] | None = None  # None is all
    created: float  # seconds since the epoch
    principals: tuple[str, ...] | None = None  # only documents that these may see; None is everything

    def may(self, scope: KeyScope) -> bool:
        """Return whether the key has a scope; `admin` includes all, and `submit` includes `read`."""
        least = SCOPES.index("admin" if scope == ACT_AS else scope)
        return scope in self.scopes or bool(self.scopes & set(SCOPES[least:]))


# Who calls without a key, where there are none and the server listens on the loopback only.
LOCAL = ApiKey(id="", name="local", digest="", scopes=frozenset({"admin"}), created=0.0)


def key_shown(key: ApiKey) -> Key:
    """Return the public part of a key."""
    fields = key.model_dump(exclude={"digest", "scopes"})
    return Key(**fields, scopes=tuple(sorted(key.scopes)))


class SignedText(Frozen):
    """A text and the signature that stands in for a key."""

    key_id: str
    text: str
    signature: str  # hex of HMAC-SHA256 over the text, with the key's digest as stored

    def signer(self, stored: str | None) -> ApiKey | None:
        """Return the key that signed the text; `stored` is the record under its id, or None."""
        if stored is None or self.key_id == _MARKER:
            return None
        key = ApiKey.read_stored(stored)
        made = hmac.digest(key.digest.encode(), self.text.encode("utf-8", "surrogatepass"), "sha256").hex()
        return key if hmac.compare_digest(made.encode(), self.signature.encode("utf-8", "replace")) else None


class ApiKeys:
    """The keys in Redis.

    Args:
        client: a Redis client with `decode_responses`.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def create(
        self,
        name: str,
        scopes: frozenset[str],
        collections: tuple[str, ...] | None = None,
        principals: Sequence[str] | None = None,
    ) -> tuple[ApiKey, str]:
        """Create a key; return it and its text, which cannot be read again.

        Args:
            name: name for the user of the key.
            scopes: scopes of the key.
            collections: collections that it is limited to; None for all.
            principals: it sees only what they may see; None for everything.

        Raises:
            InvalidInput: the name, a scope, a collection or a principal is not valid.
        """
        if not _NAME.fullmatch(name):
            raise InvalidInput("name", name, NAME_WORDS)
        known = (*SCOPES, ACT_AS)
        wrong = sorted(scopes - set(known))
        if wrong or not scopes:
            raise InvalidInput("scope", ", ".join(wrong), "one or more of: " + ", ".join(known))
        for collection in collections or ():
            check_collection(collection)
        secret = secrets.token_urlsafe(32)
        key = ApiKey(
            id=secrets.token_hex(6),
            name=name,
            digest=_digest(secret),
            scopes=cast("frozenset[KeyScope]", scopes),
            collections=collections,
            created=time.time(),
            principals=_principals(scopes, principals),
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
        """Revoke a key and return it. Requests need a key even if none is left.

        Raises:
            NotFound: there is no such key.
        """
        key = self.get(key_id)
        pipeline = self._client.pipeline(transaction=True)
        pipeline.hset(STORED, _MARKER, "1")
        pipeline.hdel(STORED, key_id)
        pipeline.execute()
        return key

    def get(self, key_id: str) -> ApiKey:
        """Return a key.

        Raises:
            NotFound: there is no such key.
        """
        stored = cast("str | None", self._client.hget(STORED, key_id))
        if stored is None or key_id == _MARKER:
            raise NotFound(f"no key {key_id}: `hopline keys` shows them")
        return ApiKey.read_stored(stored)

    def exists(self, key_id: str) -> bool:
        """Return whether a key exists and is not revoked."""
        return bool(self._client.hexists(STORED, key_id))

    def change_principals(self, key_id: str, principals: Sequence[str] | None) -> ApiKey:
        """Change which documents a key sees, from its next request and its jobs' next steps; return it.

        Args:
            key_id: id of the key.
            principals: it sees only what they may see; None for everything.

        Raises:
            NotFound: there is no such key.
            InvalidInput: a principal is not valid, or the key has a scope that sees everything.
        """
        with self._client.pipeline(transaction=True) as pipeline:
            pipeline.watch(STORED)  # type: ignore[no-untyped-call] # a key that is revoked meanwhile stays so
            key = self.get(key_id)
            changed = key.model_copy(update={"principals": _principals(key.scopes, principals)})
            pipeline.multi()
            pipeline.hset(STORED, key_id, changed.model_dump_json())
            pipeline.execute()
        return changed

    def needed(self) -> bool:
        """Return whether requests need a key: one has existed, and `drop_need` was not called since."""
        return bool(self._client.hlen(STORED))

    def drop_need(self) -> None:
        """Let servers on the loopback, even running ones, accept requests without keys.

        Raises:
            InvalidInput: keys exist.
        """
        keys = self.all()
        if keys:
            names = ", ".join(f"{key.id} ({key.name})" for key in keys)
            message = f"the API has keys ({names}): revoke them first"
            raise InvalidInput("keys", names, "none", message=message)
        pipeline = self._client.pipeline(transaction=True)
        pipeline.set(OPENED, "1")
        pipeline.hdel(STORED, _MARKER)  # a key that is made meanwhile stays, and is needed
        pipeline.execute()


def _principals(scopes: Collection[str], names: Sequence[str] | None) -> tuple[str, ...] | None:
    if names is None:
        return None
    principals = checked_principals("as", list(names))
    if "admin" in scopes:
        raise InvalidInput("scope", "admin", "read, submit or act-as with principals: admin sees everything")
    return principals


def is_needed(fields: int, *, seen: bool, opened: bool) -> bool:
    """Return whether a server needs a key.

    A loss of Redis's data opens nothing, because a server that has seen a key keeps requiring one.

    Args:
        fields: number of fields of STORED.
        seen: whether this server has seen a key.
        opened: whether OPENED exists.
    """
    return fields > 0 or (seen and not opened)


def key_id(text: str) -> str | None:
    """Return the id in an API key's text; None if the text is not a key."""
    match = _TEXT.fullmatch(text)
    return match[1] if match else None


def opened_by(text: str, stored: str | None) -> ApiKey | None:
    """Return the key that matches a text; `stored` is the record under the text's id, or None."""
    match = _TEXT.fullmatch(text)
    if match is None or stored is None:
        return None
    key = ApiKey.read_stored(stored)
    return key if hmac.compare_digest(key.digest, _digest(match[2])) else None


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
