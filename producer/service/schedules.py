"""Service for schedules of syncs, stored in Redis for the beat process."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopline.errors import InvalidInput
from hopline.models.hours import check_zone, parse_hours
from hopline.models.ingestion import NAME_WORDS
from hopline.models.params import SyncParams
from hopline.models.schedules import Schedule, Scheduled, SchedulePolicy, ScheduleRun, ScheduleRuns
from hopline.models.tags import checked_tags
from hopline.trees import place_of
from workers.core.jobs.history import WantedHistory
from workers.core.jobs.params import check_collection, parse_params
from workers.core.metadata.filter_text import parse_filter
from workers.history.rows import reason_of
from workers.ingest.profile.profile import load_profile
from workers.ledger.schedules import Check, ScheduleBook, no_check
from workers.schedules.beat import cron_of, due_at, remove_entry, save_entry

if TYPE_CHECKING:
    from celery import Celery

    from workers.services import Services

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_NAMED = "the name of a schedule, as `hopline schedules` shows it"


def schedule_of(
    sources: Sequence[str | Path],
    collection: str,
    *,
    name: str | None = None,
    every: str | None = None,
    between: str = "",
    zone: str = "",
    profile: str | Path | None = None,
    tags: Mapping[str, str] | None = None,
    **wanted: Any,
) -> Schedule:
    """Return a schedule of syncs.

    Args:
        sources: as for `AsyncSyncs.submit`.
        collection: collection of the documents, which is also the default name of the schedule.
        name: name of the schedule.
        every: five fields in cron syntax; by default, daily when the hours begin.
        between: hours such as 22:00-06:00, outside which the schedule's syncs pause.
        zone: time zone of the times and the hours; UTC by default.
        profile: a bundled profile's name, or the path of a TOML file.
        tags: tags of its jobs.
        **wanted: fields of SchedulePolicy and SyncParams.

    Raises:
        InvalidInput: a value is wrong, or neither times nor hours are given.
    """
    called = name or collection
    if not _NAME.fullmatch(called):
        raise InvalidInput("name", called, NAME_WORDS)
    policy = parse_params(
        SchedulePolicy, {field: wanted.pop(field) for field in SchedulePolicy.model_fields if field in wanted}
    )
    fields = {"sources": [place_of(source) for source in sources], "hours": between, "zone": zone, **wanted}
    times = every or _when_they_begin(between)
    cron_of(times, check_zone(zone))
    return Schedule(
        name=called,
        collection=check_collection(collection),
        sync=parse_params(SyncParams, fields),
        every=times,
        zone=check_zone(zone),
        **policy.model_dump(),
        profile=load_profile(profile).model_dump_json() if profile else "",
        created=datetime.now(UTC),
        tags=checked_tags(tags),
    )


def _when_they_begin(between: str) -> str:
    if not between:
        raise InvalidInput("every", "", 'times in cron syntax, "0 2 * * *", or hours: 22:00-06:00')
    hours = parse_hours(between)
    return f"{hours.start % 60} {hours.start // 60} * * *"


class Schedules:
    """The stored schedules.

    Args:
        services: the adapters, whose Redis stores the schedules.
        app: the Celery application of the beat process, or one with the same settings.
    """

    def __init__(self, services: Services, app: Celery) -> None:
        self._book = ScheduleBook(services.redis)
        self._app = app
        self._ledger = services.ledger
        self._audit = services.audit
        self._services = services  # whoever reads their history opens it

    def add(self, schedule: Schedule, *, check: Check = no_check) -> Scheduled:
        """Store a schedule, replacing the one with its name.

        Args:
            schedule: the schedule to store.
            check: raises EditConflict if the schedule to replace is not the expected one.
        """
        with self._audit.act("add", "schedule", schedule.name, schedule.collection):
            self._book.save(schedule, check)
            self._book.forget_runs(schedule.name)
            save_entry(self._app, schedule.name, schedule.every, schedule.zone)
        return self._standing(schedule)

    def all(self) -> list[Scheduled]:
        """Return all schedules by name."""
        return [self._standing(schedule) for schedule in self._book.all()]

    def get(self, name: str) -> Scheduled:
        """Return a schedule with its current status.

        Raises:
            InvalidInput: there is none of this name.
        """
        return self._standing(self._named(name))

    def find(self, name: str) -> Schedule | None:
        """Return a schedule; None if there is none with this name."""
        return self._book.find(name)

    def runs(self, name: str, *, before: str = "", limit: int = 50) -> ScheduleRuns:
        """Return a page of the syncs that a schedule started in its collection, newest first.

        Args:
            name: name of the schedule.
            before: `next` of the previous page.
            limit: maximum number of ended syncs; a running one comes first and is not counted.

        Raises:
            InvalidInput: there is no schedule with this name, or the cursor is not valid.
        """
        schedule = self._named(name)
        wanted = WantedHistory(
            kind="sync",
            collections=frozenset({schedule.collection}),
            where=parse_filter(f'param_schedule = "{schedule.name}"'),
        )
        page = self._services.history_search.page(wanted, before=before, limit=limit, order="ended")
        fields = set(ScheduleRun.model_fields)
        runs = [ScheduleRun(job_id=row.id, **row.model_dump(include=fields)) for row in page.jobs]
        last = None if before else self._last_run(schedule)
        if last is not None:  # it runs, or is in no history
            runs = [last, *(run for run in runs if run.job_id != last.job_id)]
        not_begun = () if before else self._book.due_runs(name).not_begun[:limit]
        return ScheduleRuns(runs=tuple(runs), not_begun=not_begun, next=page.next)

    def _last_run(self, schedule: Schedule) -> ScheduleRun | None:
        """Return the latest sync of a schedule, while its job is kept."""
        job_id = self._book.begun(schedule.name)
        record = self._ledger.job(job_id) if job_id else None
        if record is None or record.job.collection != schedule.collection:
            return None
        return ScheduleRun(
            job_id=job_id,
            state=record.told_state,
            created=record.created,
            ended=record.ended,
            reason=reason_of(record),
            calls=record.usage.model_calls,
            cost=record.usage.cost,
        )

    def pause(self, name: str) -> Scheduled:
        """Pause a schedule: it starts nothing until it is resumed; a running job continues.

        Raises:
            InvalidInput: there is none of this name.
        """
        schedule = self._named(name).model_copy(update={"paused": True})
        with self._audit.act("pause", "schedule", name, schedule.collection):
            # The book first: cut off between the two, it is paused already, so what is due begins nothing.
            self._book.save(schedule)
            remove_entry(self._app, name)
        return self._standing(schedule)

    def resume(self, name: str) -> Scheduled:
        """Resume a paused schedule from its next run; missed runs are not made up for.

        Raises:
            InvalidInput: there is none of this name.
        """
        known = self._named(name)
        schedule = known.model_copy(update={"paused": False})
        with self._audit.act("resume", "schedule", name, schedule.collection):
            # The entry first: cut off between the two, it is still paused, and is resumed by the next call.
            if known.paused or due_at(self._app, name) is None:
                save_entry(self._app, name, schedule.every, schedule.zone)
            self._book.save(schedule)
        return self._standing(schedule)

    def _named(self, name: str) -> Schedule:
        known = self._book.find(name)
        if known is None:
            raise InvalidInput("schedule", name, _NAMED)
        return known

    def remove(self, name: str, *, check: Check = no_check) -> None:
        """Delete a schedule after the same check as in `add`; a running job continues.

        Raises:
            InvalidInput: there is none of this name.
        """
        known = self._book.find(name)
        with self._audit.act("remove", "schedule", name, known.collection if known else ""):
            check(known)
            remove_entry(self._app, name)
            if not self._book.remove(name):
                raise InvalidInput("schedule", name, _NAMED)

    def watched(self) -> bool:
        """Return whether a beat process runs, which starts due syncs."""
        return self._book.watched()

    def _standing(self, schedule: Schedule) -> Scheduled:
        last = self._book.begun(schedule.name)
        job = self._ledger.job(last, outcome=False) if last else None
        due = due_at(self._app, schedule.name)
        runs = self._book.due_runs(schedule.name)
        return Scheduled(
            schedule=schedule,
            due=due,
            last_job=last,
            last_state=job.told_state if job else None,
            waiting=runs.due,
            buffered=runs.buffered,
            missed=runs.count("missed"),
            skipped=runs.count("skipped"),
        )
