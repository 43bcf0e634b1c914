"""What an ingestion changes of a document's metadata, so that later edits of it stay."""

from __future__ import annotations

from collections.abc import Mapping

from workers.core.metadata.fields import Metadata, Value
from workers.core.records import Frozen


class MetadataChange(Frozen):
    """Fields that are set, and fields that are taken away."""

    values: Metadata = {}
    unset: tuple[str, ...] = ()
    # All that the ingestion brought; None where something else changes fields.
    ingested: Metadata | None = None
    command_fields: tuple[str, ...] = ()  # names of those that came by the command

    def __bool__(self) -> bool:
        """Return whether there is anything to write."""
        return bool(self.values or self.unset) or self.ingested is not None


NO_CHANGE = MetadataChange()


def change_by_ingestion(
    ingested: Mapping[str, Value],
    before: Mapping[str, Value],
    command_fields: tuple[str, ...] = (),
    command_before: tuple[str, ...] = (),
) -> MetadataChange:
    """Return what an ingestion changes.

    A field whose value is the one of the ingestion before is left alone: what was set by hand
    meanwhile stays. A field that the ingestion brings no longer goes.

    Args:
        ingested: the fields of this ingestion.
        before: those of the last one; empty for a new document.
        command_fields: the names of those that came by the command, sorted.
        command_before: the same of the last ingestion.
    """
    if ingested == before and command_fields == command_before:
        return NO_CHANGE
    return MetadataChange(
        values={name: value for name, value in ingested.items() if before.get(name) != value},
        unset=tuple(sorted(before.keys() - ingested.keys())),
        ingested=dict(ingested),
        command_fields=command_fields,
    )
