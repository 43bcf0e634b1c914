"""Events of jobs as streams give them."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from hopline.models.base import Frozen


class Event(Frozen):
    """Something that happened in a job."""

    name: str = Field(description="What happened, as noun.verb: job.submitted, visit.finished, job.ended …")
    data: dict[str, Any] = Field(default={}, description="What it says; later versions may say more.")
    id: str = Field(default="", description="Where it lies in the job's events: a stream goes on after it.")
