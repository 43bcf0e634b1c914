"""Client calls for the metadata schemas of collections: show, set, clear."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hopline.models.schemas import MetadataSchema
from producer.client.link import DEFAULT_COLLECTION
from producer.client.part import Part
from workers.core.metadata.schema import parse_schema


class Schemas(Part):
    """Client calls for metadata schemas."""

    def collection_schema(self, collection: str = DEFAULT_COLLECTION) -> MetadataSchema:
        """Return what the metadata of a collection's documents must fit; an empty schema rules nothing."""
        return self._link.schemas.get(collection)

    def set_collection_schema(
        self,
        schema: Mapping[str, Any] | MetadataSchema,
        collection: str = DEFAULT_COLLECTION,
        *,
        anyway: bool = False,
    ) -> int:
        """Set a collection's metadata schema; return how many of its documents do not fit.

        Args:
            schema: {"fields": {"kind": {"type": "text", "required": True, "allowed": ["offer", "contract"]}},
                "only": False} (docs/metadata.md); replaces the one before whole.
            collection: whose; it may have no documents yet.
            anyway: set it also where documents do not fit.

        Raises:
            InvalidInput: the schema is not valid, or documents do not fit: says how many and names some.
        """
        read = schema if isinstance(schema, MetadataSchema) else parse_schema(schema)
        return self._link.schemas.put(collection, read, anyway=anyway)

    def clear_collection_schema(self, collection: str = DEFAULT_COLLECTION) -> None:
        """Let the metadata of a collection's documents be anything again."""
        self._link.schemas.clear(collection)
