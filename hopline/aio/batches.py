"""Named batches of documents."""

from __future__ import annotations

from typing import Annotated, Final, Unpack

from pydantic import Field, StringConstraints

from hopline.aio.noun import AsyncNoun
from hopline.allowed_values import InWords
from hopline.models.batches import BatchList, BatchStatus, BatchSubmitted
from hopline.models.collections import CollectionName
from hopline.models.estimates import Via
from hopline.models.ingestion import NAME_PATTERN, NAME_WORDS, NO_TAGS, IngestionBounds, Places, ProfileText
from hopline.models.jobs import JobTags, Priority
from hopline.models.metadata import Metadata
from hopline.models.reports import Report
from hopline.models.webhooks import WebhookUrl
from hopline.operation import Cursor, operation

_NO_METADATA: Final[Metadata] = {}
_NewName = Annotated[
    str, StringConstraints(pattern=NAME_PATTERN), InWords(NAME_WORDS), Field(examples=["archive"])
]
_Name = Annotated[
    str,
    StringConstraints(pattern=NAME_PATTERN),
    InWords(f"a batch's name: {NAME_WORDS}"),
    Field(description="The name given with `hopline ingest --batch`.", examples=["archive"]),
]


class AsyncBatches(AsyncNoun):
    """Named batches, for administrators only, because no single key owns a batch."""

    @operation("POST", "/v1/batches", right="admin", safe=True)
    async def submit(
        self,
        name: _NewName,
        sources: Places,
        collection: CollectionName = "default",
        *,
        profile: ProfileText = None,
        via: Annotated[
            Via, Field(description="batch: the model provider's batch interface, slower and cheaper.")
        ] = "calls",
        priority: Priority = "low",
        webhook: WebhookUrl | None = None,
        tags: JobTags = NO_TAGS,
        metadata: Annotated[Metadata, Field(description="Metadata fields for all documents.")] = _NO_METADATA,
        upload: Annotated[
            bool | None,
            Field(
                description="Upload files to the blob store, for workers that cannot read them; by default, "
                "if a store is set. Only for the user who runs the server."
            ),
        ] = None,
        follow_links: Annotated[
            bool,
            Field(strict=True, description="Follow links in folders. Only for the user who runs the server."),
        ] = False,
        **bounds: Unpack[IngestionBounds],
    ) -> BatchSubmitted:
        """Submit the documents of some places as a named batch; all files are listed before the reply.

        Repeating the request returns the same batch. For places with more than 10,000 files, or that take
        longer than 45 seconds to list, run `hopline ingest --batch` on the server.

        Raises:
            InvalidInput: a value is not valid, the name is taken, a place may not be read, or there are too
                many files.
            AccessDenied: the key may not use the collection.
            TooManyJobs: too much work is waiting.
        """
        raise NotImplementedError

    @operation("GET", "/v1/batches", right="admin")
    async def list(
        self, *, cursor: Cursor = "", limit: Annotated[int, Field(ge=1, le=1000)] = 200
    ) -> BatchList:
        """List named batches with their current status, newest first."""
        raise NotImplementedError

    @operation("GET", "/v1/batches/{name}", right="admin")
    async def get(self, name: _Name) -> BatchStatus:
        """Show the status of a batch: documents by status, speed, time left, usage, and why it is paused.

        Raises:
            NotFound: there is nothing with this name.
        """
        raise NotImplementedError

    @operation("GET", "/v1/batches/{name}/report", right="admin")
    async def report(self, name: _Name) -> Report:
        """Show a batch's report, which is preliminary while the batch runs.

        Raises:
            NotFound: there is nothing with this name.
            InvalidInput: its job has expired without leaving a report.
        """
        raise NotImplementedError

    @operation("POST", "/v1/batches/{name}/pause", right="admin", safe=True)
    async def pause(self, name: _Name) -> BatchStatus:
        """Pause a batch: items in progress finish, and nothing new begins.

        Raises:
            NotFound: there is nothing with this name.
            Conflict: it does not run.
        """
        raise NotImplementedError

    @operation("POST", "/v1/batches/{name}/resume", right="admin", safe=True)
    async def resume(
        self,
        name: _Name,
        *,
        max_cost: Annotated[float | None, Field(gt=0, description="In the currency of the prices.")] = None,
        max_tokens: Annotated[int | None, Field(ge=1)] = None,
        max_calls: Annotated[int | None, Field(ge=1)] = None,
        now: Annotated[
            bool, Field(strict=True, description="Run at once, even outside its hours, until they next end.")
        ] = False,
        between: Annotated[
            str | None,
            Field(
                max_length=20,
                description="Run only during these hours, such as 22:00-06:00; empty removes the limit.",
            ),
        ] = None,
        zone: Annotated[
            str, Field(max_length=60, description="Time zone of these hours; the batch's unless given.")
        ] = "",
    ) -> BatchStatus:
        """Resume a batch, optionally with new limits and hours; outside its hours it still waits.

        Limits and hours that are not given do not change.

        Raises:
            NotFound: there is nothing with this name.
            Conflict: it does not run.
            InvalidInput: a limit is below what the batch has already used, or the hours are not valid.
        """
        raise NotImplementedError

    @operation("POST", "/v1/batches/{name}/retry", right="admin")
    async def retry(self, name: _Name) -> BatchStatus:
        """Retry the documents of an ended batch that failed or were not done.

        Raises:
            NotFound: there is nothing with this name.
            Conflict: it runs, or there is nothing to retry.
        """
        raise NotImplementedError

    @operation("DELETE", "/v1/batches/{name}", right="admin")
    async def cancel(self, name: _Name) -> BatchStatus:
        """Cancel a batch; documents already in the graph stay.

        Raises:
            NotFound: there is nothing with this name, or its job has expired.
        """
        raise NotImplementedError
