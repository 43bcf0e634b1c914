"""Request and response schemas of the API."""

from __future__ import annotations

from typing import Annotated

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    WithJsonSchema,
)

from hopline.aio.documents import AsyncDocuments
from hopline.errors import InvalidInput
from hopline.models.collections import COLLECTION_WORDS, CollectionName
from hopline.models.jobs import Job, JobTags, Json, Priority
from hopline.models.params import QueryBounds
from hopline.models.strategies import summaries
from hopline.models.webhooks import WebhookUrl
from hopline.operation import operation_of
from producer.reports.outcomes import BATCH_KIND, DOCUMENT_KIND, QUERY_KIND, answer_of, report_of
from workers.core.jobs.params import (
    MOST_COLLECTIONS,
    Strategy,
    check_collections,
)
from workers.core.scope import Scope
from workers.ledger.records import JobRecord


class Body(BaseModel):
    """Base of requests: no unknown fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _checked_collections(value: object) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise InvalidInput("collection", value, f"{COLLECTION_WORDS}, or a list of these")
    return tuple(check_collections(names))


_ONE = TypeAdapter(CollectionName).json_schema()
_SEVERAL = {"type": "array", "items": _ONE, "minItems": 1, "maxItems": MOST_COLLECTIONS}
CollectionNames = Annotated[
    tuple[str, ...],
    BeforeValidator(_checked_collections),
    WithJsonSchema({"anyOf": [_ONE, _SEVERAL]}),
    Field(description="Whose documents; those of several are read as one collection's."),
]


class QueryRequest(Body, Scope):
    """A question."""

    question: str = Field(
        min_length=1, max_length=4000, examples=["Where was the builder of the Bell Rock Lighthouse born?"]
    )
    collection: CollectionNames = ("default",)
    strategy: Strategy = Field(
        default="auto", description="How to look for the answer. " + " ".join(summaries())
    )
    session: str | None = Field(
        default=None, max_length=200, description="Questions of one session follow one another."
    )
    parameters: QueryBounds = QueryBounds()
    priority: Priority = "normal"
    webhook: WebhookUrl | None = None
    tags: JobTags = {}


DOCUMENTS_REQUEST = operation_of(AsyncDocuments.submit).body

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
