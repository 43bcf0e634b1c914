"""Metadata schemas in Redis: one for each collection, read once for a job."""

from __future__ import annotations

import pytest
import redis

from workers.core.jobs.work import Job
from workers.core.metadata.schema import NO_SCHEMA, parse_schema
from workers.ledger.archive import is_kept
from workers.ledger.keys import METADATA_SCHEMAS
from workers.ledger.metadata_schemas import JobSchemas, MetadataSchemas

pytestmark = pytest.mark.memory_too

KIND = parse_schema({"fields": {"kind": {"type": "text", "required": True}}})
ONLY = parse_schema({"only": True})


def test_a_schema_is_its_collections_own_and_stays_until_it_is_removed(client: redis.Redis) -> None:
    schemas = MetadataSchemas(client)
    schemas.write("a", KIND)
    schemas.write("b", ONLY)
    assert (schemas.read("a"), schemas.read("b"), schemas.read("c")) == (KIND, ONLY, NO_SCHEMA)
    schemas.remove("a")
    schemas.remove("c")
    assert (schemas.read("a"), schemas.read("b")) == (NO_SCHEMA, ONLY)
    assert is_kept(METADATA_SCHEMAS.encode())


def test_the_documents_of_a_batch_see_one_schema_and_a_retry_the_newest(client: redis.Redis) -> None:
    schemas = MetadataSchemas(client)
    schemas.write("a", KIND)

    def seen(job_id: str, epoch: int = 1) -> object:
        job = Job(id=job_id, kind="document", collection="a", root=job_id.partition(".")[0], epoch=epoch)
        return JobSchemas(schemas, job).schema("a")

    assert seen("batch.1") == KIND
    schemas.write("a", ONLY)
    assert seen("batch.2") == KIND
    assert seen("batch.1", epoch=2) == ONLY
    assert seen("other") == ONLY
