"""Webhooks as receivers get them."""

from __future__ import annotations

from pydantic import Field

from hopline.models.base import Frozen


class JobEnded(Frozen):
    """A job has ended; its result is fetched by its id."""

    type: str = "job.ended"
    job_id: str
    kind: str = Field(description="What the job does: query, document, batch …")
    collection: str
    state: str = Field(description="How it ended: done, partial, abstained, failed, cancelled …")
    epoch: int = Field(description="Rises with every retry, which ends anew.")
    ended: float = Field(description="Seconds since the epoch of Unix.")
    request_id: str = Field(default="", description="Of the request that submitted the job.")
