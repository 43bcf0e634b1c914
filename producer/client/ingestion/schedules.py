"""Client calls for schedules of syncs: make, list, pause, resume, delete, and what they began."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from producer.client.link import DEFAULT_COLLECTION
from producer.client.part import Part

if TYPE_CHECKING:
    from hopline.models.schedules import Scheduled, ScheduleRuns


class Schedules(Part):
    """What a client does with schedules; over HTTP with an administrator's key."""

    def schedules(self) -> list[Scheduled]:
        """Return all schedules by name: when each is due next, and the job that it began last."""
        return self._link.schedules.all()

    def schedule_runs(self, name: str, limit: int = 50, *, before: str = "") -> ScheduleRuns:
        """Return a page of the syncs that a schedule began, newest first, also those that have expired.

        The first page tells at which times it was due and began none, too, and why.

        Args:
            name: of the schedule.
            limit: how many ended ones at most; the one that runs comes first, beside them.
            before: the `next` of the page before.

        Raises:
            InvalidInput, NotFound: there is no schedule of this name; the cursor is not valid.
        """
        return self._link.schedules.runs(name, before=before, limit=limit)

    def set_schedule(
        self,
        /,
        name: str,
        sources: Sequence[str | Path],
        collection: str = DEFAULT_COLLECTION,
        *,
        every: str | None = None,
        between: str = "",
        zone: str = "",
        profile: str | Path | None = None,
        tags: Mapping[str, str] | None = None,
        **wanted: Any,
    ) -> Scheduled:
        """Make a schedule of syncs, or replace the one of this name; a job that it began goes on.

        Args:
            name: of the schedule.
            sources: as for `sync`.
            collection: as for `sync`.
            every: cron's five fields, "0 2 * * *"; daily when the hours begin, unless given.
            between: 22:00-06:00: outside these hours what the schedule began pauses.
            zone: of the times and the hours; UTC unless given.
            profile: as for `ingest`.
            tags: of the jobs that it begins.
            **wanted: overlap_policy and catchup_window, as `workers.core.jobs.schedules.SchedulePolicy` has
                them; further fields of `workers.core.jobs.params.SyncParams`: most_removed, max_cost, …

        Raises:
            InvalidInput: a value is wrong, or there are neither times nor hours.
        """
        from producer.service.schedules import schedule_of  # noqa: PLC0415 - only for who makes one

        wanted |= {"between": between, "zone": zone}
        schedule = schedule_of(sources, collection, name=name, every=every, tags=tags, **wanted)
        return self._link.schedules.add(schedule, profile)

    def pause_schedule(self, name: str) -> Scheduled:
        """Let a schedule begin nothing until it is resumed; a job that it began goes on.

        Raises:
            InvalidInput, NotFound: there is none of this name.
        """
        return self._link.schedules.pause(name)

    def resume_schedule(self, name: str) -> Scheduled:
        """Let a paused schedule begin again when it is due next; what it missed is not made up for.

        Raises:
            InvalidInput, NotFound: there is none of this name.
        """
        return self._link.schedules.resume(name)

    def delete_schedule(self, name: str) -> None:
        """Delete a schedule; a job that it began goes on.

        Raises:
            InvalidInput, NotFound: there is none of this name.
        """
        self._link.schedules.remove(name)
