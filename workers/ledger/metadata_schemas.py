"""The metadata schemas of collections, kept in Redis."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import cast

import redis

from workers.core.jobs.work import Job
from workers.core.metadata.schema import NO_SCHEMA, MetadataSchema
from workers.ledger.keys import METADATA_SCHEMAS

_JOBS_KNOWN = 64  # whose schema a process remembers


class MetadataSchemas:
    """The schemas by the names of collections; one instance per process, shared by its threads.

    Args:
        client: a Redis client with `decode_responses`.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._known: OrderedDict[tuple[str, int, str], MetadataSchema] = OrderedDict()
        self._lock = Lock()

    def read(self, collection: str) -> MetadataSchema:
        """Return a collection's schema as it is now; an empty one if it has none."""
        stored = cast("str | None", self._client.hget(METADATA_SCHEMAS, collection))
        return MetadataSchema.read_stored(stored) if stored else NO_SCHEMA

    def write(self, collection: str, schema: MetadataSchema) -> None:
        """Keep a collection's schema."""
        self._client.hset(METADATA_SCHEMAS, collection, schema.model_dump_json())

    def remove(self, collection: str) -> None:
        """Let a collection have no schema; one that has none stays so."""
        self._client.hdel(METADATA_SCHEMAS, collection)

    def of_job(self, job: Job, collection: str) -> MetadataSchema:
        """Return a schema as this process first read it for a job, or for the batch that the job belongs to.

        A retry reads it anew.
        """
        key = (job.root or job.id, job.epoch, collection)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        schema = self.read(collection)
        with self._lock:
            self._known[key] = schema
            while len(self._known) > _JOBS_KNOWN:
                self._known.popitem(last=False)
        return schema


class JobSchemas:
    """`core.metadata.schema.Schemas` for the steps of one job.

    Args:
        schemas: of all collections.
        job: whose steps ask.
    """

    def __init__(self, schemas: MetadataSchemas, job: Job) -> None:
        self._schemas = schemas
        self._job = job

    def schema(self, collection: str) -> MetadataSchema:
        """Return a collection's schema."""
        return self._schemas.of_job(self._job, collection)
