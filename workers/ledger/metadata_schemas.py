"""The metadata schemas of collections, kept in Redis."""

from __future__ import annotations

from typing import cast

import redis

from hopline.models.schemas import MetadataSchema
from workers.core.metadata.schema import NO_SCHEMA
from workers.ledger.keys import METADATA_SCHEMAS


class MetadataSchemas:
    """The schemas by the names of collections.

    Args:
        client: a Redis client with `decode_responses`.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def read(self, collection: str) -> MetadataSchema:
        """Return a collection's schema as it is now; an empty one if it has none."""
        stored = cast("str | None", self._client.hget(METADATA_SCHEMAS, collection))
        return MetadataSchema.read_stored(stored) if stored else NO_SCHEMA

    def has(self, collection: str) -> bool:
        """Return whether a collection has a schema."""
        return bool(self._client.hexists(METADATA_SCHEMAS, collection))

    def write(self, collection: str, schema: MetadataSchema) -> None:
        """Keep a collection's schema."""
        self._client.hset(METADATA_SCHEMAS, collection, schema.model_dump_json())

    def remove(self, collection: str) -> None:
        """Let a collection have no schema; one that has none stays so."""
        self._client.hdel(METADATA_SCHEMAS, collection)
