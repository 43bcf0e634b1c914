"""Jobs and their results."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from hopline.models.base import Page
from hopline.models.documents import DocumentReport
from hopline.models.jobs import Budget, Parent, Pause, Priority, ToldState, Usage
from hopline.models.outcomes import AnyOutcome
from hopline.models.times import Timestamp


class Job(BaseModel):
    """A job."""

    id: str
    kind: str = Field(examples=["query", "batch", "document"])
    collection: str
    state: ToldState
    priority: Priority
    tags: dict[str, str] = {}
    params: dict[str, Any]
    phase: int
    epoch: int = Field(description="Increases with every retry.")
    created: Timestamp
    ended: Timestamp | None = None
    items: dict[str, int] = Field(description="Number of items created, by step.")
    done: dict[str, int] = Field(description="Number of items done, by step.")
    timings: dict[str, float] = Field(description="Seconds by step, summed over its items.")
    usage: Usage
    models: dict[str, Usage] = Field(default={}, description="Usage by model, for a job without a parent.")
    budget: Budget
    leases_lost: int
    dead: int = Field(description="Dead letters.")
    dropped: int
    closed_for: str | None = None
    waits_for: str | None = Field(
        default=None,
        description="Why the job makes no progress: its deferred work or, if a single queued job is read, "
        "what is paused or its place in the queue.",
    )
    pauses: tuple[Pause, ...] = Field(
        default=(), description="Why a batch or sync is paused; only if a single job is read."
    )
    deadline: Timestamp | None = Field(
        default=None, description="Time after which the job ends with what it has."
    )
    webhook: str | None = None
    request_id: str | None = None
    parent: Parent | None = None
    outcome: AnyOutcome | None = Field(
        default=None, description="The job's result. Lists leave it out; read the job by its id to get it."
    )

    @property
    def why(self) -> str:
        """Why the job failed, was cancelled or is only partly done; "" if no reason is known."""
        told = self.outcome if isinstance(self.outcome, dict) else vars(self.outcome) if self.outcome else {}
        return str(told.get("error") or told.get("reason") or "")


class JobPage(Page):
    """Jobs, newest first."""

    jobs: list[Job]


class DocumentJob(BaseModel):
    """A document of a request, and the job that ingests it."""

    uri: str
    document_id: str = ""  # of a server that does not tell it
    job_id: str


class Taken(BaseModel):
    """Documents that were accepted."""

    batch: Job
    documents: list[DocumentJob]
    refused: list[DocumentReport] = Field(default=[], description="Refused documents, with reasons.")
