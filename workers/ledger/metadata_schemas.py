"""The metadata schemas of collections, kept in Redis."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import redis
from redis.client import Pipeline

from hopline.models.schemas import MetadataSchema
from workers.core.metadata.schema import NO_SCHEMA
from workers.core.redis_keys import METADATA_SCHEMAS

Check = Callable[[MetadataSchema], None]  # raises where a stored one is not to be replaced


def no_check(_stored: MetadataSchema) -> None:
    """Let every schema be replaced."""


class MetadataSchemas:
    """The schemas by the names of collections.

    Args:
        client: a Redis client with `decode_responses`.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def read(self, collection: str) -> MetadataSchema:
        """Return a collection's schema in its current state; an empty one if it has none."""
        stored = cast("str | None", self._client.hget(METADATA_SCHEMAS, collection))
        return MetadataSchema.read_stored(stored) if stored else NO_SCHEMA

    def has(self, collection: str) -> bool:
        """Return whether a collection has a schema."""
        return bool(self._client.hexists(METADATA_SCHEMAS, collection))

    def write(self, collection: str, schema: MetadataSchema, check: Check = no_check) -> None:
        """Store a collection's schema, if the check of the previous one passes."""
        self._change(collection, schema, check)

    def remove(self, collection: str, check: Check = no_check) -> None:
        """Let a collection have no schema, as `write` does; one that has none stays so."""
        self._change(collection, None, check)

    def _change(self, collection: str, schema: MetadataSchema | None, check: Check) -> None:
        def change(pipeline: Pipeline) -> None:
            stored = cast("str | None", pipeline.hget(METADATA_SCHEMAS, collection))
            check(MetadataSchema.read_stored(stored) if stored else NO_SCHEMA)
            pipeline.multi()
            if schema is None:
                pipeline.hdel(METADATA_SCHEMAS, collection)
            else:
                pipeline.hset(METADATA_SCHEMAS, collection, schema.model_dump_json())

        self._client.transaction(change, METADATA_SCHEMAS)
