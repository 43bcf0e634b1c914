"""Submission options besides a job's parameters: priority, webhook, how long to wait."""

from __future__ import annotations

from pathlib import Path

from producer.service.documents import Intake
from workers.core.jobs.params import ChunkSizes, QueryParams, parse_params
from workers.core.jobs.work import Json, Priority, Terms

# After its timeout a job still writes its answer from what it has, under a hard deadline of its own.
_GRACE_SECONDS = 60.0


def terms_of(priority: str, webhook: str) -> Terms:
    """Return the submission options for a priority and a webhook.

    Raises:
        InvalidInput: the priority is not valid.
    """
    return parse_params(Terms, {"priority": priority, "webhook": webhook})


def intake_of(
    *,
    profile: str | Path | None = None,
    chunk_tokens: int | None = None,
    chunk_overlap: int | None = None,
    key: str | None = None,
    priority: Priority = "normal",
    webhook: str = "",
) -> Intake:
    """Return how documents are taken in.

    Raises:
        InvalidInput: a size is out of range, the two do not fit together, or the priority is not valid.
    """
    sizes = parse_params(ChunkSizes, {"chunk_tokens": chunk_tokens, "chunk_overlap": chunk_overlap})
    return Intake(key=key, profile=profile, sizes=sizes, terms=terms_of(priority, webhook))


def patience_of(params: Json) -> float:
    """Return how many seconds to wait for a query that was submitted with these parameters."""
    own = params.get("timeout") or QueryParams.model_fields["timeout"].default
    return 2 * float(own) + _GRACE_SECONDS
