"""Outcomes of jobs: a model for each kind of job, distinguished by `kind`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal, Self, TypeAlias, get_args

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from hopline.models.answers import Answer
from hopline.models.base import OfKind
from hopline.models.concepts import ConceptOutcome
from hopline.models.ingest_reports import IngestReport
from hopline.models.jobs import Json, Usage
from hopline.models.merges import Merge
from hopline.models.reports import DocumentLine
from hopline.models.syncs import SyncReport
from hopline.models.topics import TopicEpoch

if TYPE_CHECKING:
    from hopline.models.results import Job


class FlowOutcome(OfKind):
    """Fields that every flow's outcome may have."""

    kind: str
    reason: str | None = Field(default=None, description="Why it was cancelled.")
    error: str | None = Field(default=None, description="Why it failed, or is only partly done.")

    @classmethod
    def of(cls, job: Job, stored: Json) -> Self:
        """Return the stored value as the outcome of a job."""
        return cls.read_stored({**stored, "kind": job.kind})


class DeleteOutcome(FlowOutcome):
    """Counts of nodes removed with a document."""

    kind: Literal["delete"] = "delete"
    document_id: str = ""
    known: bool = Field(default=False, description="Whether the collection had such a document.")
    chunks: int = 0
    facts: int = 0
    elements: int = 0


class DeletionsOutcome(FlowOutcome):
    """Counts of the nodes removed with several documents, or with a collection."""

    kind: Literal["delete_documents", "delete_collection"]
    collection: str = ""
    documents: dict[str, int] = Field(default={}, description="Counts by status: deleted, gone, failed.")
    failed: tuple[DocumentLine, ...] = Field(
        default=(), description="Examples of documents that were not deleted."
    )


class ReindexOutcome(FlowOutcome):
    """The vectors that were rebuilt."""

    kind: Literal["reindex"] = "reindex"
    collection: str = ""
    vectors: int = 0


class TopicsOutcome(FlowOutcome):
    """The topics that were built."""

    kind: Literal["topics"] = "topics"
    collection: str = ""
    epoch: TopicEpoch | None = Field(default=None, description="Null if none were built.")


class MergeOutcome(FlowOutcome):
    """The result of merging key elements, or of undoing a merge."""

    kind: Literal["merge"] = "merge"
    collection: str = ""
    dry_run: bool = False
    elements: int = Field(default=0, description="Key elements compared.")
    found: int = Field(default=0, description="Duplicates found.")
    made: int = Field(default=0, description="Merges made.")
    refused: int = Field(
        default=0,
        description="Pairs that were not merged because they had been undone before, or no longer exist.",
    )
    given_up: int = Field(default=0, description="Number of items given up.")
    proposals: tuple[tuple[str, ...], ...] = Field(
        default=(), description="In a dry run: source, target, rule and evidence of each merge."
    )
    likely: int | None = Field(
        default=None, description="Number of pairs for a model to judge; null if no model may be asked."
    )
    calls: int = Field(
        default=0, description="Number of model calls; in a dry run, the number they would take."
    )
    asked: int = Field(default=0, description="Pairs that the model judged.")
    same: int = Field(default=0, description="Pairs that the model called the same.")
    left: int = Field(default=0, description="Number of pairs left for another time.")
    pairs: tuple[tuple[str, ...], ...] = Field(
        default=(), description="In a dry run: source, target, rule and evidence of each pair to ask about."
    )
    merge: Merge | None = Field(default=None, description="The merge that was undone.")
    restored: tuple[str, ...] = Field(default=(), description="Names that exist again.")
    removed: int = Field(
        default=0, description="Elements that were removed because no fact mentions them without that merge."
    )


class WebhookOutcome(FlowOutcome):
    """The result of calling a webhook."""

    kind: Literal["webhook"] = "webhook"
    job_id: str = Field(default="", description="The job whose end was reported.")
    status: int | None = Field(default=None, description="The receiver's HTTP status.")


class ProviderOutcome(FlowOutcome):
    """Model calls made through the provider's batch mode."""

    kind: Literal["prefill", "provider_batch", "provider_cancel"]
    status: str = Field(default="", description="The provider's status of the batch.")
    lines: int = Field(default=0, description="Calls.")
    batches: int = 0
    window: int = Field(default=0, description="Number of documents processed at a time.")
    kept: int = 0
    unusable: int = 0
    unreadable: int = 0
    failed: int = 0
    reasons: dict[str, int] = Field(
        default={}, description="The most frequent reasons of failed lines, with counts."
    )
    refused: tuple[str, ...] = Field(default=(), description="Why some of the batches failed.")
    usage: Usage | None = None


Outcome: TypeAlias = (
    Answer
    | IngestReport
    | SyncReport
    | DeleteOutcome
    | DeletionsOutcome
    | ReindexOutcome
    | TopicsOutcome
    | MergeOutcome
    | ConceptOutcome
    | WebhookOutcome
    | ProviderOutcome
)
OUTCOMES: Mapping[str, type[Outcome]] = {
    kind: model for model in get_args(Outcome) for kind in get_args(model.model_fields["kind"].annotation)
}

AnyOutcome: TypeAlias = Annotated[
    Annotated[Outcome, Field(discriminator="kind")] | SkipJsonSchema[Json],
    Field(union_mode="left_to_right"),
]
"""An outcome; of a kind that only a newer server knows, its fields."""


def outcome_of(job: Job, stored: Json) -> Outcome | Json:
    """Return a job's outcome as reported.

    Args:
        job: without its outcome.
        stored: the outcome as the job's flow stored it, which has no kind.

    Raises:
        ValidationError: it is not an outcome of such a job.
    """
    model = OUTCOMES.get(job.kind)
    return model.of(job, stored) if model else {**stored, "kind": job.kind}
