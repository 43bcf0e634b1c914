"""Schedules over a real Redis and a real beat process; hours over a real ledger."""

import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from celery import Celery
from fleet.crew import Crew, PrivateRedis, make_crew, wait_until
from fleet.forks import ForkedProgram

from hopline.models.jobs import JobState
from hopline.models.schedules import Scheduled
from infra.local.process import Program, Running
from producer.service.schedules import Schedules, schedule_of
from workers.app import application_for
from workers.engine.hours import keep_hours
from workers.engine.scheduled import begin_due
from workers.ledger.schedules import ScheduleBook
from workers.schedules.beat import (
    Scheduler,
    ZonedEntry,
    cron_of,
    due_at,
    note_due,
    save_entry,
    times_between,
    zoned,
)


@pytest.fixture(scope="module")
def crew(stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crew]:
    server = PrivateRedis(tmp_path_factory.mktemp("redis"))
    made = make_crew(stack_env, server.url, tmp_path_factory.mktemp("crew"))
    made.have(bulk="bulk")
    yield made
    made.stop()
    server.kill()


@pytest.fixture(scope="module")
def app(crew: Crew) -> Celery:
    return application_for(crew.settings)


@pytest.fixture
def schedules(crew: Crew, app: Celery) -> Iterator[Schedules]:
    kept = Schedules(crew.services, app)
    yield kept
    for schedule in kept.all():
        kept.remove(schedule.schedule.name)


@pytest.fixture
def beat(crew: Crew, tmp_path: Path) -> Iterator[Running]:
    command = (sys.executable, "-m", "hopline", "beat")
    program = Program("beat", command, lambda _pid: True)
    running = ForkedProgram(program, tmp_path / "beat.log", os.environ | crew.environment)
    yield running
    running.stop()


def make_overdue(app: Celery, name: str) -> None:
    entry = ZonedEntry.from_key(ZonedEntry.generate_key(app, name), app=app)
    entry.reschedule(last_run_at=datetime.now(UTC) - timedelta(days=2))


def due_in(schedule: Scheduled) -> float:
    assert schedule.due is not None
    return (schedule.due - datetime.now(UTC)).total_seconds()


@pytest.mark.usefixtures("beat")
def test_what_is_due_is_begun_once_and_the_collection_is_in_step(crew, app, schedules, collection, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("Anna Keller built the Aare bridge in 1843.", encoding="utf-8")
    added = schedules.add(schedule_of([folder], collection, every="0 2 * * *", zone="Europe/Berlin"))
    assert 0 < due_in(added) <= 25 * 3600
    assert added.last_job == ""
    make_overdue(app, collection)
    begun = wait_until(lambda: schedules.all()[0].last_job, "the schedule began a job")
    assert schedules.watched()
    # The schedule names its job a moment before it is submitted.
    wait_until(lambda: (job := crew.ledger.job(begun)) and job.state is JobState.DONE, "it ended")
    (document,) = crew.client.documents.iterate(collection=collection)
    assert document.status == "indexed"
    assert crew.ledger.job(begun).job.params["schedule"] == collection
    assert 0 < due_in(schedules.all()[0]) <= 25 * 3600


def test_a_run_is_begun_without_its_message_and_others_are_missed(crew, app, schedules, collection, tmp_path):
    (tmp_path / "a.txt").write_text("Anna Keller built the Aare bridge in 1843.", encoding="utf-8")
    schedules.add(schedule_of([tmp_path], collection, every="0 2 * * *"))
    make_overdue(app, collection)
    entry = ZonedEntry.from_key(ZonedEntry.generate_key(app, collection), app=app)
    note_due(app, entry)  # and a beat process dies before it writes the next time
    Scheduler(app, lazy=True).reserve(entry)  # and another before it sends the message
    begun = wait_until(lambda: schedules.all()[0].last_job, "the watchdog began a job")
    wait_until(lambda: (job := crew.ledger.job(begun)) and job.state is JobState.DONE, "it ended")
    (standing,) = schedules.all()
    assert (standing.missed, standing.waiting) == (1, None)
    assert [run.job_id for run in schedules.runs(collection).runs] == [begun]
    listed = crew.run("schedules", "show", collection)
    assert "missed" in listed.stdout
    assert begun in listed.stdout


def test_times_are_read_off_the_clock_of_their_zone_and_counted_without_a_walk() -> None:
    now = datetime(2026, 11, 28, 12, 0, 30, tzinfo=UTC)
    found = []
    for every, days in (("* * * * *", 2000), ("0 2 * * *", 3), ("0 2 29 2 *", 3000), ("0 2 * * *", 0.1)):
        times = zoned(cron_of(every, "Europe/Berlin"), "Europe/Berlin")
        between = times_between(times, now - timedelta(days=days), now)
        found.append(between and (datetime.fromtimestamp(between.latest, UTC).isoformat(), between.earlier))
    assert found == [
        ("2026-11-28T12:00:00+00:00", 1000), ("2026-11-28T01:00:00+00:00", 2),
        ("2024-02-29T01:00:00+00:00", 1), None,
    ]  # fmt: skip
    times = zoned(cron_of("30 2 * * *", "Europe/Berlin"), "Europe/Berlin")
    summer, winter = datetime(2026, 7, 1, 12, tzinfo=UTC), datetime(2026, 12, 1, 12, tzinfo=UTC)
    hours = []
    for moment in (summer, winter):
        times.nowfun = lambda moment=moment: moment
        hours.append((moment + times.remaining_estimate(moment)).astimezone(UTC).hour)
    assert hours == [0, 1]


def test_a_schedule_whose_job_still_runs_begins_no_other(crew, schedules, collection, tmp_path):
    (tmp_path / "a.txt").write_text("Anna Keller built the Aare bridge in 1843.", encoding="utf-8")
    now = datetime.now(UTC)
    hours = f"{(now + timedelta(hours=3)):%H:%M}-{(now + timedelta(hours=4)):%H:%M}"
    schedules.add(schedule_of([tmp_path], collection, between=hours, profile="narrative"))
    services, publisher = crew.services, crew.service.publisher

    book, due = ScheduleBook(crew.redis), now.timestamp()

    def begin(due: float) -> str:
        book.change(collection, lambda runs: runs.add(due))
        begin_due(services, publisher, collection)  # or a watchdog was before it
        return book.begun(collection)

    first = begin(due)
    assert crew.services.pauses.of(first).kind == "hours"
    assert crew.ledger.job(first).state is JobState.RUNNING
    assert begin(due + 60) == first
    assert [each.outcome for each in book.due_runs(collection).not_begun] == ["skipped"]

    def goes_on() -> bool:
        keep_hours(services, now + timedelta(hours=3, minutes=30))  # a watchdog keeps those of now meanwhile
        return crew.ledger.job(first).state is JobState.DONE

    wait_until(goes_on, "it goes on in its hours")


def test_schedules_are_listed_and_removed_by_commands(crew: Crew, collection: str, tmp_path: Path) -> None:
    made = crew.run(
        *("sync", str(tmp_path), "-c", collection, "--between", "22:00-06:00", "--zone", "Asia/Tokyo"),
        *("--overlap-policy", "buffer_one", "--catchup-window", "12h"),
    )
    assert made.returncode == 0, made.stderr
    assert "22:00 Asia/Tokyo" in made.stderr
    listed = crew.run("schedules", "list", "--json")
    assert f'"name": "{collection}"' in listed.stdout
    assert '"every": "0 22 * * *"' in listed.stdout
    assert '"overlap_policy": "buffer_one"' in listed.stdout
    assert '"catchup_window": 43200' in listed.stdout
    removed = crew.run("schedules", "delete", collection, "--yes")
    assert removed.returncode == 0, removed.stderr
    assert crew.run("schedules", "delete", collection, "--yes").returncode == 3


def test_a_schedule_that_is_made_again_forgets_when_it_was_due(app: Celery, crew: Crew) -> None:
    save_entry(app, "again", "0 2 * * *", "UTC")
    make_overdue(app, "again")
    save_entry(app, "again", "0 3 * * *", "UTC")
    due = due_at(app, "again")
    assert due is not None
    assert datetime.fromtimestamp(due, UTC).hour == 3
    assert ScheduleBook(crew.redis).find("again") is None
