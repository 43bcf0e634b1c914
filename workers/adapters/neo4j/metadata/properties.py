"""Stores a document's metadata as properties of its node, one per field and type.

A property's name includes the type, so that comparisons and indexes involve only one type. Dates are texts of
the form 2024-05-01, which sort by day.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, get_args

from hopline.models.documents import Document
from hopline.models.metadata import Kind, Value, kind_of, metadata_json, stored_metadata
from workers.adapters.neo4j.connection import Row
from workers.core.metadata.changes import MetadataChange

INGESTED = "metadata_ingested"  # the property of what the last ingestion brought, as JSON
_KINDS: tuple[Kind, ...] = get_args(Kind)
_PREFIXES = {f"meta_{kind}_": kind for kind in _KINDS}


def property_of(kind: Kind, field: str) -> str:
    """Return the name of the property for a field's value of a type."""
    return f"meta_{kind}_{field}"


def changed_properties(change: MetadataChange) -> Row:
    """Return the properties that a change sets; removed ones are null."""
    row: Row = {
        property_of(kind, field): None for field in (*change.values, *change.unset) for kind in _KINDS
    }
    for field, value in change.values.items():
        row[property_of(kind_of(value), field)] = _stored(value)
    if change.ingested is not None:
        row[INGESTED] = metadata_json(change.ingested) if change.ingested else None
        row["command_fields"] = list(change.command_fields) or None
    if change.says_allow:
        row |= {"pending_allow": None, "pending_by_command": None}
    return row


def pending_properties(document: Document) -> Row:
    """Return the `allow` of a version that is being written; None if it has none."""
    return {
        "pending_allow": list(document.pending_allow) or None,
        "pending_by_command": document.pending_by_command,
    }


def metadata_of(row: Mapping[str, Any]) -> dict[str, Value]:
    """Return the metadata among a document's properties."""
    return stored_metadata(dict(_fields(row.items())))


def ingested_metadata(row: Mapping[str, Any]) -> dict[str, Value]:
    """Return the metadata of a document's last ingestion."""
    stored = row.get(INGESTED)
    return stored_metadata(json.loads(stored)) if stored else {}


def _fields(properties: Iterable[tuple[str, Any]]) -> Iterable[tuple[str, Any]]:
    for name, value in properties:
        if name.startswith("meta_") and value is not None:
            prefix = next((known for known in _PREFIXES if name.startswith(known)), "")
            if prefix:
                yield name.removeprefix(prefix), value


def _stored(value: Value) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value
