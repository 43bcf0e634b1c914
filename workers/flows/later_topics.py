"""The job that updates a collection's topics after documents were added or removed."""

from __future__ import annotations

from hopline.models.jobs import Json
from workers.core.ids import later_topics_job_id
from workers.core.jobs.params import TopicsParams
from workers.core.jobs.work import Job
from workers.flows.one_step import TOPICS
from workers.ingest.batch import BATCH
from workers.ingest.sync.flow import SYNC

_CHANGED = ("done", "partial", "removed")  # statuses of documents that came, changed or went


def changed_documents(kind: str, outcome: Json) -> int:
    """Return how many documents an ended job wrote or removed; 0 if its kind does neither.

    Args:
        kind: kind of the job.
        outcome: outcome of the job.
    """
    if kind == BATCH.kind:
        counted = [outcome.get("counts", {})]
    elif kind == SYNC.kind:
        counted = [outcome.get("documents", {}), outcome.get("removals", {})]
    else:
        return 0
    return sum(counts.get(status, 0) for counts in counted for status in _CHANGED)


def later_topics_job(ended: Job) -> Job:
    """Return the job that builds topics after a batch or sync; it always belongs to the system."""
    name = later_topics_job_id(ended.id, ended.epoch)
    return Job(
        id=name,
        kind=TOPICS.kind,
        collection=ended.collection,
        params=TopicsParams().model_dump(mode="json"),
        root=name,
        priority="low",
        request_id=ended.request_id,
    )
