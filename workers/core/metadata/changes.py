"""Changes that an ingestion makes to a document's metadata, without overwriting edits made since."""

from __future__ import annotations

from collections.abc import Mapping

from hopline.models.base import Frozen
from hopline.models.metadata import Metadata, Value
from hopline.principals import ALLOW


class MetadataChange(Frozen):
    """Fields to set, and fields to remove."""

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
        """Whether this change overrides the `allow` of a version that is not live yet."""
        return self.ingested is not None or ALLOW in self.values or ALLOW in self.unset


NO_CHANGE = MetadataChange()


def change_by_ingestion(
    ingested: Mapping[str, Value],
    before: Mapping[str, Value],
    command_fields: tuple[str, ...] = (),
    command_before: tuple[str, ...] = (),
    pending_allow: tuple[str, ...] = (),
) -> MetadataChange:
    """Return the changes that an ingestion makes to a document's metadata.

    A field with the same value as in the previous ingestion is left alone, so a value set by hand in the
    meantime stays. A field that the ingestion no longer contains is removed, except for `allow`: who may see
    a document changes only if that is stated explicitly.

    Args:
        ingested: fields of this ingestion.
        before: fields of the previous ingestion; empty for a new document.
        command_fields: names of the fields given with the command, sorted.
        command_before: the same for the previous ingestion.
        pending_allow: `allow` of a version that did not become live; it is newer than `before`.
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
