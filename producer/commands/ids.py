"""Resolves ids and names from a unique prefix, as people type them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.commands.ids import whole
from hopline.commands.job_filters import MOST_JOBS

if TYPE_CHECKING:
    from producer.client.hopline import Hopline


def whole_job_id(client: Hopline, beginning: str) -> str:
    """Return the id of the job with this prefix; see `whole`."""
    return whole("job", beginning, lambda: [record.job.id for record in client.jobs(MOST_JOBS)])
