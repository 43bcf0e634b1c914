"""Schedules for celery-redbeat, with cron fields read in a time zone."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import copy
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, cast
from zoneinfo import ZoneInfo

from celery import Celery
from celery.schedules import ParseException, crontab
from redbeat.decoder import RedBeatJSONDecoder
from redbeat.schedulers import RedBeatScheduler, RedBeatSchedulerEntry, ensure_conf, get_redis

from hopline.errors import InvalidInput
from hopline.models.schedules import NotBegun
from hopline.models.times import timestamp
from workers.ledger.schedules import ScheduleBook

TASK = "schedules.begin"
_FIELDS = 5
_MINUTE = 60
_EARLY = timedelta(seconds=2)  # that redbeat may be before a time
_COUNTED = 1000
_LOOKS_BACK = tuple(timedelta(days=days) for days in (1 / 24, 1, 31, 366, 9 * 366))  # 29 February, at most


def cron_of(every: str, zone: str) -> crontab:
    """Return the times that five fields mean: minute, hour, day of month, month, day of week.

    Args:
        every: the fields, as cron writes them.
        zone: a time zone's name.

    Raises:
        InvalidInput: they are none, or no day has them.
    """
    allowed = 'five fields as cron writes them, such as "0 2 * * *": minute, hour, day, month, day of week'
    if len(every.split()) != _FIELDS:
        raise InvalidInput("every", every, allowed)
    try:
        times = crontab.from_string(every)
        zoned(times, zone).remaining_estimate(times.now())
    except (ParseException, ValueError, RuntimeError) as error:
        raise InvalidInput("every", every, f"{allowed} ({error})") from error
    return times


def zoned(times: crontab, zone: str) -> crontab:
    """Let the clock of a zone count: celery reads all of an application's off one."""
    times.tz = ZoneInfo(zone)
    return times


class ZonedEntry(RedBeatSchedulerEntry):
    """A schedule entry that stores its time zone beside its task's name."""

    @staticmethod
    def decode_definition(definition: str) -> dict[str, Any]:
        """Return an entry's fields."""
        fields = cast("dict[str, Any]", json.loads(definition, cls=RedBeatJSONDecoder))
        zoned(fields["schedule"], fields["kwargs"]["zone"])
        return fields


class Scheduler(RedBeatScheduler):
    """Records due schedules in the ledger and sends a message; of several schedulers, only one is active."""

    Entry = ZonedEntry

    def reserve(self, entry: RedBeatSchedulerEntry) -> Any:
        """Record that a schedule is due before computing when it is due next."""
        note_due(self.app, entry)
        return super().reserve(entry)


def note_due(app: Celery, entry: RedBeatSchedulerEntry, now: datetime | None = None) -> None:
    """Note the latest time at which a schedule was due, and those that no beat process noted.

    Args:
        app: whose Redis is the ledger's.
        entry: entry of the schedule.
        now: the moment; this one unless given.
    """
    moment = (now or datetime.now(UTC)) + _EARLY
    book = ScheduleBook(get_redis(app))
    since = max(entry.last_run_at.timestamp(), book.due_runs(entry.name).noted)
    times = times_between(entry.schedule, datetime.fromtimestamp(since, UTC), moment)
    if times is None:
        return
    missed = None
    if times.earlier:
        why = "no beat process ran until the next was due"
        missed = NotBegun(due=timestamp(times.first), times=times.earlier, outcome="missed", reason=why)
    book.change(entry.name, lambda runs: runs.add(times.latest, missed))


class DueTimes(NamedTuple):
    """Times of a schedule between two moments, in seconds since the epoch."""

    latest: float
    first: float
    earlier: int  # how many before the latest; a thousand or more are a thousand


def times_between(schedule: crontab, since: datetime, until: datetime) -> DueTimes | None:
    """Return the times of a schedule after one moment, up to another; None if there is none."""
    times = copy(schedule)
    times.tz = schedule.tz

    def after(moment: datetime) -> datetime:
        times.nowfun = lambda: moment
        left: timedelta = times.remaining_estimate(moment)
        return (moment + left).replace(second=0, microsecond=0)

    first = after(since)
    if first > until:
        return None
    latest = _latest(after, first, until)
    earlier, time = 0, first
    while time < latest and earlier < _COUNTED:
        earlier, time = earlier + 1, after(time)
    return DueTimes(latest.timestamp(), first.timestamp(), earlier)


def _latest(after: Callable[[datetime], datetime], first: datetime, until: datetime) -> datetime:
    """Return the latest of the times up to a moment, `first` included; no walk over years of minutes."""
    for back in _LOOKS_BACK:
        start = max(first, until - back)
        latest, time = first, after(start)
        while time <= until:
            latest, time = time, after(time)
        if latest > first or start == first:
            return latest
    return first


def save_entry(app: Celery, name: str, every: str, zone: str) -> None:
    """Register a schedule to be due at these times."""
    remove_entry(app, name)  # else its last run would stay
    entry = ZonedEntry(
        name=name,
        task=TASK,
        schedule=cron_of(every, zone),
        kwargs={"name": name, "zone": zone},
        options={"queue": "bulk"},
        app=app,
    )
    entry.save()


def remove_entry(app: Celery, name: str) -> None:
    """Unregister a schedule; an unknown one is ignored."""
    ensure_conf(app)
    key = ZonedEntry.generate_key(app, name)
    client = get_redis(app)
    client.zrem(app.redbeat_conf.schedule_key, key)
    client.delete(key)


def due_at(app: Celery, name: str) -> float | None:
    """Return when a schedule is due next, in seconds since the epoch; None if it is not known."""
    ensure_conf(app)
    score = get_redis(app).zscore(app.redbeat_conf.schedule_key, ZonedEntry.generate_key(app, name))
    if score is None or score < 0:
        return None
    return float(
        round(float(score) / _MINUTE) * _MINUTE
    )  # redbeat's is a second early, as cron's minute is cut off


def run_beat(app: Celery, level: str) -> None:
    """Send due schedules until stopped."""
    scheduler = f"{Scheduler.__module__}:{Scheduler.__name__}"
    app.start(["beat", f"--scheduler={scheduler}", f"--loglevel={level}", "--pidfile="])
