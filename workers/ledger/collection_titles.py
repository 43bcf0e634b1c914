"""The titles and descriptions of collections, kept in Redis."""

from __future__ import annotations

from typing import cast

import redis

from hopline.models.collections import CollectionTitle
from workers.ledger.keys import COLLECTION_TITLES


class CollectionTitles:
    """Titles and descriptions by the names of collections.

    Args:
        client: a Redis client with `decode_responses`.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def all(self) -> dict[str, CollectionTitle]:
        """Return the titles and descriptions of all collections that have any, by name."""
        stored = cast("dict[str, str]", self._client.hgetall(COLLECTION_TITLES))
        return {name: CollectionTitle.read_stored(text) for name, text in stored.items()}

    def read(self, collection: str) -> CollectionTitle:
        """Return a collection's title and description; empty ones if it has none."""
        stored = cast("str | None", self._client.hget(COLLECTION_TITLES, collection))
        return CollectionTitle.read_stored(stored) if stored else CollectionTitle()

    def write(self, collection: str, title: CollectionTitle) -> None:
        """Keep a collection's title and description."""
        self._client.hset(COLLECTION_TITLES, collection, title.model_dump_json())

    def remove(self, collection: str) -> None:
        """Forget a collection's title and description; one that has none stays so."""
        self._client.hdel(COLLECTION_TITLES, collection)
