"""Adds the metadata of a command to the documents that sources name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from hopline.errors import InvalidInput
from hopline.models.metadata import Value
from workers.sources.formats import Found, Named, Refused


def with_metadata(named: Iterable[Named], metadata: Mapping[str, Value]) -> Iterator[Named]:
    """Yield documents with metadata that goes before their own; one that would have too much is refused."""
    for entry in named:
        yield _with_metadata(entry, metadata) if isinstance(entry, Found) else entry


def _with_metadata(entry: Found, metadata: Mapping[str, Value]) -> Named:
    try:
        return entry._replace(document=entry.document.with_metadata(metadata))
    except InvalidInput as error:
        return Refused(entry.place, str(error))
