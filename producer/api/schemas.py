"""Request and response schemas of the API."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
)

from hopline.errors import InvalidInput
from hopline.models.collections import CollectionName
from hopline.models.jobs import Job, JobTags, Json, Priority
from hopline.models.metadata import Metadata
from hopline.models.params import ChunkSizes
from hopline.models.webhooks import WebhookUrl
from producer.reports.outcomes import BATCH_KIND, DOCUMENT_KIND, QUERY_KIND, answer_of, report_of
from workers.core.jobs.params import (
    MOST_ASKED,
    TextFormat,
)
from workers.core.json_objects import parse_json
from workers.core.metadata.changes import checked_values
from workers.ledger.records import JobRecord


class Body(BaseModel):
    """Base of requests: no unknown fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TextDocument(Body):
    """A document's text."""

    text: str = Field(min_length=1, max_length=5_000_000)
    name: str = Field(min_length=1, max_length=500, description="Names the document within its collection.")
    title: str = Field(default="", max_length=500)
    format: TextFormat = "txt"
    metadata: Metadata = Field(default={}, description="Its fields.", examples=[{"author": "Ann"}])


def _object(raw: Any, field: ValidationInfo) -> Any:
    """Return what a form's field holds as JSON."""
    if not isinstance(raw, str):
        return raw
    try:
        return parse_json(raw)
    except ValueError as error:
        name = field.field_name or ""
        raise InvalidInput(name, raw, "a JSON object of fields and their values") from error


class DocumentsRequest(Body, ChunkSizes):
    """Documents as texts, or as addresses of a store that the server is set up to read."""

    collection: CollectionName = "default"
    texts: tuple[TextDocument, ...] = ()
    uris: tuple[Annotated[str, StringConstraints(min_length=1, max_length=2000)], ...] = ()
    profile: str | None = Field(
        default=None,
        max_length=100_000,
        description="The entities, relations and events to extract: a bundled profile's name, or TOML.",
    )
    priority: Priority = "normal"
    webhook: WebhookUrl | None = None
    metadata: Annotated[Metadata, BeforeValidator(_object)] = Field(
        default={},
        description="Fields of all these documents, which go before what each one brings itself: texts, "
        "numbers, dates (2024-05-01) and lists of texts; in a form a JSON object.",
        examples=[{"author": "Ann", "date": "2024-05-01", "tags": ["contract"], "priority": 2}],
    )
    tags: Annotated[JobTags, BeforeValidator(_object)] = {}


class MetadataEdit(Body):
    """Fields to set and to take away, of documents by id or of those of a collection that a filter means."""

    documents: tuple[str, ...] = Field(default=(), max_length=10_000, description="Ids.")
    collection: CollectionName | None = None
    where: str | dict[str, Any] | None = Field(
        default=None,
        description="With a collection, instead of ids: a filter, in the language or as JSON.",
        examples=['tags has "draft"'],
    )
    values: Annotated[Metadata, BeforeValidator(checked_values)] = Field(
        default={}, alias="set", description="Fields to set."
    )
    unset: tuple[str, ...] = Field(default=(), max_length=50, description="Fields to take away.")


_OF_JOB = ("id", "kind", "collection", "priority", "tags", "params")
_OF_RECORD = tuple((Job.model_fields.keys() & JobRecord.model_fields.keys()) - {"outcome", "epoch"})


def view_of(record: JobRecord, *, outcome: bool = True) -> Job:
    """Return a job as the API tells it."""
    job = record.job
    fields = {name: getattr(record, name) for name in _OF_RECORD}
    fields |= {name: getattr(job, name) for name in _OF_JOB}
    fields |= {"epoch": record.run, "webhook": job.webhook or None, "request_id": job.request_id or None}
    return Job.model_validate(fields | {"outcome": _outcome(record) if outcome else None})


def _outcome(record: JobRecord) -> Json | None:
    if record.outcome is None:
        return None
    if record.job.kind == QUERY_KIND:
        return answer_of(record).model_dump(mode="json")
    if record.job.kind in {BATCH_KIND, DOCUMENT_KIND}:
        report = report_of(record).model_dump(mode="json")
        return {**report, **{n: v for n, v in record.outcome.items() if n not in report}}
    return record.outcome


class MergeRequest(Body):
    """A merging of key elements."""

    dry_run: bool = Field(default=False, description="Only show what would be merged, and ask no model.")
    ask: int = Field(
        default=0,
        ge=0,
        le=MOST_ASKED,
        description="Model calls, at most, about pairs that the rules leave open, some pairs a call.",
    )


class TopicsRequest(Body):
    """A building of topics."""

    anew: bool = Field(default=False, description="From nothing, not from the topics before.")


class ToolRequest(Body):
    """A tool's arguments."""

    collection: CollectionName = "default"
    arguments: dict[str, Any] = Field(default={}, examples=[{"question": "Who is Mara?"}])
