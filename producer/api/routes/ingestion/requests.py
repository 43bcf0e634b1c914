"""Bodies of requests that ingest from places: batches, syncs, schedules; and of estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, StringConstraints

from hopline.allowed_values import InWords
from hopline.models.collections import CollectionName
from hopline.models.jobs import JobTags, Priority
from hopline.models.metadata import Metadata
from hopline.models.params import BulkBounds, ChunkSizes
from hopline.models.schedules import SchedulePolicy
from hopline.models.webhooks import WebhookUrl
from producer.api.schemas import Body
from producer.estimate.factors import DIMENSION
from workers.sources.places import allowed_place

if TYPE_CHECKING:
    from producer.api.context import Api
    from workers.ingest.profile.profile import Profile

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
NAME_WORDS = "1 to 100 letters, digits, '-', '_' or '.', the first not a sign"
_Name = Annotated[str, StringConstraints(pattern=NAME_PATTERN), InWords(NAME_WORDS)]
_Place = Annotated[str, StringConstraints(min_length=1, max_length=2000)]


class NamedPlaces(Body):
    """Places where the server is set up to read."""

    sources: tuple[_Place, ...] = Field(
        min_length=1,
        max_length=100,
        description="Folders and files in the places that HOPLINE_API_SOURCES names; links are not followed.",
        examples=[["s3://archive/contracts"]],
    )

    def places(self, api: Api) -> tuple[str, ...]:
        """Return the addresses of the sources.

        Raises:
            InvalidInput: one lies in no place that may be read.
        """
        return tuple(allowed_place(source, api.settings.api_sources) for source in self.sources)


class EstimateRequest(NamedPlaces, ChunkSizes):
    """What is to be estimated: of few documents many are read, of many a sample."""

    sample: int = Field(
        default=200, ge=1, le=2000, description="Plain documents to read at most, of other formats a tenth."
    )
    via: Literal["calls", "batch"] = "calls"
    latency: float | None = Field(
        default=None, gt=0, le=3600, description="Seconds of one chat call, where it is known."
    )
    dimension: int = Field(
        default=DIMENSION, ge=1, le=100_000, description="Length of the embedder's vectors."
    )


class PlacesRequest(NamedPlaces, BulkBounds, ChunkSizes):
    """Documents that lie where the server is set up to read."""

    collection: CollectionName = "default"
    profile: str | None = Field(
        default=None,
        max_length=100_000,
        description="The entities, relations and events to extract: a bundled profile's name, or TOML.",
    )
    tags: JobTags = {}

    def read_profile(self) -> Profile | None:
        """Return the profile, if one is given.

        Raises:
            InvalidInput: it is neither a bundled one's name nor valid TOML.
        """
        from workers.ingest.profile.profile import named_profile  # noqa: PLC0415 - as where documents come in

        return named_profile(self.profile) if self.profile else None


class BatchRequest(PlacesRequest):
    """A named batch of documents."""

    name: _Name = Field(examples=["archive"])
    via: Literal["calls", "batch"] = Field(
        default="calls", description="batch: the model provider's batch interface, slower and cheaper."
    )
    priority: Priority = "low"
    webhook: WebhookUrl | None = None
    metadata: Metadata = Field(default={}, description="Fields of all documents.")


class SyncRequest(PlacesRequest):
    """A sync of a collection with places: what is new, changed, moved or gone there."""

    dry_run: bool = Field(default=False, strict=True, description="Only find what would change.")
    most_removed: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="The share of documents under the sources that may go; if more would, nothing is done.",
    )
    priority: Priority = "normal"
    webhook: WebhookUrl | None = None


class ScheduleRequest(PlacesRequest, SchedulePolicy):
    """Syncs that repeat."""

    most_removed: float = Field(default=0.5, ge=0, le=1)
    every: str | None = Field(
        default=None,
        max_length=100,
        description="Five fields, as cron writes them; daily when its hours begin, unless given.",
        examples=["0 2 * * *"],
    )
