"""Jobs: their events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from pydantic import Field

from hopline.aio.noun import AsyncNoun
from hopline.models.events import Event
from hopline.operation import Header, stream


class AsyncJobs(AsyncNoun):
    """Jobs."""

    @stream("GET", "/v1/jobs/{job_id}/events", right="read")
    def events(
        self,
        job_id: str,
        *,
        after: Annotated[
            str | None, Header("Last-Event-ID"), Field(description="The id of the last event that was read.")
        ] = None,
    ) -> AsyncIterator[Event]:
        """Follow a job's events from its beginning, or after the last one read, until its end.

        Raises:
            NotFound: the job is unknown, or has expired.
        """
        raise NotImplementedError
