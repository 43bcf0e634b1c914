"""Changes of a document's metadata by an ingestion, so that later edits of it stay."""

from __future__ import annotations

from collections.abc import Mapping

from hopline.models.base import Frozen
from hopline.models.metadata import Metadata, Value
from hopline.principals import ALLOW


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

    @property
    def says_allow(self) -> bool:
        """Whether what an ingestion that is not live yet says of `allow` is out of date with it."""
        return self.ingested is not None or ALLOW in self.values or ALLOW in self.unset


NO_CHANGE = MetadataChange()


def change_by_ingestion(
    ingested: Mapping[str, Value],
    before: Mapping[str, Value],
    command_fields: tuple[str, ...] = (),
    command_before: tuple[str, ...] = (),
    pending_allow: tuple[str, ...] = (),
) -> MetadataChange:
    """Return what an ingestion changes.

    A field whose value is the one of the ingestion before is left alone: what was set by hand
    meanwhile stays. A field that the ingestion brings no longer goes, but for `allow`: who may see a document
    changes only where somebody says so.

    Args:
        ingested: the fields of this ingestion.
        before: those of the last one; empty for a new document.
        command_fields: the names of those that came by the command, sorted.
        command_before: the same of the last ingestion.
        pending_allow: who may see it by one that did not become live; it was said later than `before`.
    """
    if pending_allow or ALLOW in before:
        ingested = {ALLOW: pending_allow or before[ALLOW], **ingested}
    if not pending_allow and ingested == before and command_fields == command_before:
        return NO_CHANGE
    return MetadataChange(
        values={name: value for name, value in ingested.items() if before.get(name) != value},
        unset=tuple(sorted(before.keys() - ingested.keys())),
        ingested=dict(ingested),
        command_fields=command_fields,
    )
