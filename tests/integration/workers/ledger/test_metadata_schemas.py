"""Metadata schemas in Redis: one for each collection."""

from __future__ import annotations

import pytest
import redis

from workers.core.metadata.schema import NO_SCHEMA, parse_schema
from workers.ledger.archive import is_kept
from workers.ledger.keys import METADATA_SCHEMAS
from workers.ledger.metadata_schemas import MetadataSchemas

pytestmark = pytest.mark.memory_too

KIND = parse_schema({"fields": {"kind": {"type": "text", "required": True}}})
ONLY = parse_schema({"only": True})


def test_a_schema_is_its_collections_own_and_stays_until_it_is_removed(client: redis.Redis) -> None:
    schemas = MetadataSchemas(client)
    schemas.write("a", KIND)
    schemas.write("b", ONLY)
    assert (schemas.read("a"), schemas.read("b"), schemas.read("c")) == (KIND, ONLY, NO_SCHEMA)
    schemas.write("a", ONLY)
    assert schemas.read("a") == ONLY
    schemas.remove("a")
    schemas.remove("c")
    assert (schemas.read("a"), schemas.read("b")) == (NO_SCHEMA, ONLY)
    assert is_kept(METADATA_SCHEMAS.encode())
