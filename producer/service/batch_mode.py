"""Reports the progress of a batch that uses the provider's batch mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workers.core.ids import child_job_id
from workers.core.jobs.work import JobState
from workers.core.model import Frozen
from workers.flows.provider_batch import COUNTS

if TYPE_CHECKING:
    from workers.ledger.records import JobRecord
    from workers.services import Services

_ITEM = "prefill"
_GROUPED = 1  # the phase of that job that fills files


class BatchMode(Frozen):
    """What is at the provider, and what has come back."""

    prepared: int = 0  # documents read and split
    batches: int = 0  # of the provider, that the lines fill
    back: int = 0  # of these, read
    lines: int | None = None  # once all have come back
    kept: int = 0  # replies that validated
    unusable: int = 0  # replies that did not: asked again call by call
    unreadable: int = 0  # lines that hold no reply: the same
    failed: int = 0  # lines that the provider did not answer, expired ones too: the same


def batch_mode_of(services: Services, job: JobRecord) -> BatchMode | None:
    """Return a batch's progress at the provider; None if it does not use one."""
    if job.job.params.get("via") != "batch":
        return None
    found = services.ledger.job(child_job_id(job.job.id, _ITEM))
    if found is not None and found.state is JobState.RUNNING:
        grouped = services.ledger.results(found.job.id).get(_GROUPED, ()) if found.phase > _GROUPED else ()
        return BatchMode(
            prepared=found.done.get("ingest.prepare", 0),
            batches=sum(one.result.get("count", 0) for one in grouped),
            back=found.done.get("ingest.hand_over", 0),
        )
    results = services.ledger.results(job.job.id).get(0, ())
    outcome = next((one.result.get("outcome") for one in results if one.item_id == _ITEM), None) or {}
    batches = outcome.get("batches", 0)
    counts = {name: outcome[name] for name in COUNTS if name in outcome}
    return BatchMode(prepared=job.job.params["documents"], batches=batches, back=batches, **counts)


def told(mode: BatchMode, documents: int) -> str:
    """Return it on one line."""
    if mode.lines is not None:
        left = mode.lines - mode.kept
        asked = f" · {left:,} asked call by call" if left else ""
        return f"by the provider's batch mode: {mode.kept:,} of {mode.lines:,} lines answered{asked}"
    if mode.batches:
        return f"at the provider: {mode.back:,} of {mode.batches:,} batches are back"
    return f"on the way to the provider: {mode.prepared:,} of {documents:,} documents are prepared"
