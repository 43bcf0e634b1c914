"""The metadata schema of a collection: which fields its documents have, of which types, with which values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from hopline.errors import InvalidInput
from hopline.models.schemas import MetadataSchema

NO_SCHEMA = MetadataSchema()


class Schemas(Protocol):
    """The metadata schemas of collections."""

    def read(self, collection: str) -> MetadataSchema:
        """Return a collection's schema as it is now; an empty one if it has none."""


class NoSchemas:
    """Collections without schemas."""

    def read(self, _collection: str) -> MetadataSchema:
        """Return an empty schema."""
        return NO_SCHEMA


def parse_schema(raw: Any) -> MetadataSchema:
    """Return a schema that a user wrote.

    Raises:
        InvalidInput: names the part, its value and what is allowed.
    """
    from workers.core.jobs.params import parse_params  # noqa: PLC0415 - it imports the types of fields

    if not isinstance(raw, Mapping):
        raise InvalidInput("schema", raw, "an object {fields, only}")
    return parse_params(MetadataSchema, dict(raw)).check_rules()
