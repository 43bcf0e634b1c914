# Written from hopline/aio by `python -m infra.client_code`: edit it there.
"""Jobs: their events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from hopline.models.events import Event
from hopline.operation import Header, stream
from hopline.sync.noun import Noun


class Jobs(Noun):
    """Jobs."""

    @stream("GET", "/v1/jobs/{job_id}/events", right="read")
    def events(
        self,
        job_id: str,
        *,
        after: Annotated[
            str | None, Header("Last-Event-ID"), Field(description="The id of the last event that was read.")
        ] = None,
    ) -> Iterator[Event]:
        """Follow a job's events from its beginning, or after the last one read, until its end.

        Raises:
            NotFound: the job is unknown, or has expired.
        """
        raise NotImplementedError
