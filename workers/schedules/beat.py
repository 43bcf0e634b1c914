"""Schedules for celery-redbeat, with cron fields read in a time zone."""

from __future__ import annotations

import json
from typing import Any, cast
from zoneinfo import ZoneInfo

from celery import Celery
from celery.schedules import ParseException, crontab
from redbeat.decoder import RedBeatJSONDecoder
from redbeat.schedulers import RedBeatScheduler, RedBeatSchedulerEntry, ensure_conf, get_redis

from workers.core.errors import InvalidInput

TASK = "schedules.begin"
_FIELDS = 5
_MINUTE = 60


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
    """Sends what is due; of several that run, one at a time."""

    Entry = ZonedEntry


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


def is_watched(app: Celery) -> bool:
    """Return whether a beat process runs, or ran a minute ago."""
    ensure_conf(app)
    return bool(get_redis(app).exists(app.redbeat_conf.lock_key))


def run_beat(app: Celery, level: str) -> None:
    """Send what is due until stopped."""
    scheduler = f"{Scheduler.__module__}:{Scheduler.__name__}"
    app.start(["beat", f"--scheduler={scheduler}", f"--loglevel={level}", "--pidfile="])
