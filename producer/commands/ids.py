"""Resolves ids and names from a unique prefix, as people type them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.commands.ids import only, whole
from hopline.commands.job_filters import MOST_JOBS

if TYPE_CHECKING:
    from producer.client.hopline import Hopline


def whole_job_id(client: Hopline, beginning: str) -> str:
    """Return the id of the job with this prefix; see `whole`."""
    return whole("job", beginning, lambda: [record.job.id for record in client.jobs(MOST_JOBS)])


def whole_batch_name(client: Hopline, beginning: str) -> str:
    """Return the name of the batch with this prefix; see `only`."""
    names = client.service.batches.names()
    return beginning if beginning in names else only("batch", "name", beginning, names)
