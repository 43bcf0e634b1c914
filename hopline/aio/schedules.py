"""Schedules of syncs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Unpack

from pydantic import Field, StringConstraints

from hopline.aio.noun import AsyncNoun
from hopline.aio.paging import each
from hopline.allowed_values import InWords
from hopline.models.collections import CollectionName
from hopline.models.ingestion import (
    NAME_PATTERN,
    NAME_WORDS,
    NO_TAGS,
    Places,
    ProfileText,
    RemovedShare,
    ScheduleBounds,
)
from hopline.models.jobs import JobTags
from hopline.models.schedules import Scheduled, ScheduleList, ScheduleRun, ScheduleRuns
from hopline.operation import Cursor, IfMatch, operation

_Name = Annotated[
    str,
    StringConstraints(pattern=NAME_PATTERN),
    InWords(f"a schedule's name: {NAME_WORDS}"),
    Field(description="The schedule's name.", examples=["contracts"]),
]


class AsyncSchedules(AsyncNoun):
    """Schedules of syncs."""

    @operation("GET", "/v1/schedules", right="admin")
    async def list(
        self, *, cursor: Cursor = "", limit: Annotated[int, Field(ge=1, le=1000)] = 1000
    ) -> ScheduleList:
        """List the schedules of syncs by name, each with its next run and its latest job."""
        raise NotImplementedError

    @operation("GET", "/v1/schedules/{name}", right="admin")
    async def get(self, name: _Name) -> Scheduled:
        """Show a schedule with its next run and its latest job.

        Raises:
            NotFound: there is nothing with this name.
        """
        raise NotImplementedError

    @operation("GET", "/v1/schedules/{name}/runs", right="admin")
    async def runs(
        self,
        name: _Name,
        *,
        cursor: Cursor = "",
        limit: Annotated[int, Field(ge=1, le=200, description="Maximum number of ended syncs.")] = 50,
    ) -> ScheduleRuns:
        """List the syncs that a schedule started, newest first, including expired ones from the history.

        The first page also lists the times at which it was due but started none, with the reasons.

        Raises:
            NotFound: there is nothing with this name.
            InvalidInput: the cursor is not valid.
        """
        raise NotImplementedError

    def iterate_runs(self, name: str) -> AsyncIterator[ScheduleRun]:
        """Yield all syncs that a schedule started, newest first.

        Args:
            name: of the schedule.

        Raises:
            NotFound: there is nothing with this name.
        """
        return each(lambda cursor: self.runs(name, cursor=cursor), lambda page: page.runs)

    @operation("PUT", "/v1/schedules/{name}", right="admin")
    async def set(
        self,
        name: _Name,
        sources: Places,
        collection: CollectionName = "default",
        *,
        every: Annotated[
            str | None,
            Field(
                max_length=100,
                description="Five fields in cron syntax; by default, daily when its hours begin.",
                examples=["0 2 * * *"],
            ),
        ] = None,
        profile: ProfileText = None,
        tags: JobTags = NO_TAGS,
        most_removed: RemovedShare = 0.5,
        if_match: IfMatch = None,
        **bounds: Unpack[ScheduleBounds],
    ) -> Scheduled:
        """Create a schedule, or replace the one with this name; a job that it started continues.

        Raises:
            InvalidInput: a value is not valid, a place may not be read, or neither times nor hours are given.
            AccessDenied: the key may not use the collection.
            Conflict: somebody else's schedule has this name.
            EditConflict: somebody changed it since it was read.
        """
        raise NotImplementedError

    @operation("POST", "/v1/schedules/{name}/pause", right="admin", safe=True)
    async def pause(self, name: _Name) -> Scheduled:
        """Pause a schedule: it starts nothing until it is resumed; a job that it started continues.

        Raises:
            NotFound: there is nothing with this name.
        """
        raise NotImplementedError

    @operation("POST", "/v1/schedules/{name}/resume", right="admin", safe=True)
    async def resume(self, name: _Name) -> Scheduled:
        """Resume a schedule from its next run; runs that it missed are not made up for.

        Raises:
            NotFound: there is nothing with this name.
        """
        raise NotImplementedError

    @operation("DELETE", "/v1/schedules/{name}", right="admin")
    async def delete(self, name: _Name, *, if_match: IfMatch = None) -> None:
        """Delete a schedule; a job that it started continues.

        Raises:
            NotFound: there is nothing with this name.
            EditConflict: somebody changed it since it was read.
        """
        raise NotImplementedError
