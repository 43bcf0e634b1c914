"""Parameters for documents in places that the server may read: batches, syncs, estimates."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field, StringConstraints

from hopline.models.fields import (
    BulkBoundsFields,
    ChunkSizesFields,
    ReadingOptionsFields,
    SchedulePolicyFields,
)

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
NAME_WORDS = "1 to 100 letters, digits, '-', '_' or '.', beginning with a letter or digit"
NO_TAGS: Final[dict[str, str]] = {}

Places = Annotated[
    tuple[Annotated[str, StringConstraints(min_length=1, max_length=2000)], ...],
    Field(
        min_length=1,
        max_length=1_000,
        description="Folders and files in the places that HOPLINE_API_SOURCES names; links are not followed. "
        "The user who runs the server may name any path, pattern, list and address that it can read.",
        examples=[["s3://archive/contracts"]],
    ),
]
ProfileText = Annotated[
    str | None,
    Field(
        max_length=100_000,
        description="The entities, relations and events to extract: a bundled profile's name, or TOML.",
    ),
]
RemovedShare = Annotated[
    float,
    Field(
        ge=0,
        le=1,
        description="Largest share of the sources' documents that may be removed; if more would be, "
        "nothing changes.",
    ),
]


class IngestionBounds(BulkBoundsFields, ChunkSizesFields, ReadingOptionsFields, total=False):
    """Bounds of an ingestion: its budget, its hours, its reading options and its chunk sizes."""


class ScheduleBounds(IngestionBounds, SchedulePolicyFields, total=False):
    """The bounds of each sync that a schedule starts, and the policy for syncs that cannot start in time."""
