"""Submission options besides a job's parameters: priority, webhook, how long to wait."""

from __future__ import annotations

from workers.core.jobs.params import ChunkSizes, QueryParams, parse_params
from workers.core.jobs.work import Json, Terms

# After its timeout a job still writes its answer from what it has, under a hard deadline of its own.
_GRACE_SECONDS = 60.0


def terms_of(priority: str, webhook: str) -> Terms:
    """Return the submission options for a priority and a webhook.

    Raises:
        InvalidInput: the priority is not valid.
    """
    return parse_params(Terms, {"priority": priority, "webhook": webhook})


def chunk_sizes_of(chunk_tokens: int | None, chunk_overlap: int | None) -> ChunkSizes:
    """Return the requested chunk sizes.

    Raises:
        InvalidInput: they are out of range, or do not fit together.
    """
    return parse_params(ChunkSizes, {"chunk_tokens": chunk_tokens, "chunk_overlap": chunk_overlap})


def patience_of(params: Json) -> float:
    """Return how many seconds to wait for a query that was submitted with these parameters."""
    own = params.get("timeout") or QueryParams.model_fields["timeout"].default
    return 2 * float(own) + _GRACE_SECONDS
