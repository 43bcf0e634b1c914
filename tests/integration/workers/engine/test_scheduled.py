"""A schedule has one sync at a time, wherever the process dies that begins it; on a real ledger."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import redis
from doubles.broker import Broker
from doubles.history import Ends, row
from doubles.memory_redis import services_over

from producer.service.schedules import Schedules
from workers.app import application_for
from workers.core.errors import InvalidInput
from workers.core.jobs.params import SyncParams
from workers.core.jobs.schedules import Schedule
from workers.core.jobs.work import JobState
from workers.engine import scheduled
from workers.engine.scheduled import begin_scheduled
from workers.engine.submit import cancel_job
from workers.ledger.keys import ACTIVE
from workers.ledger.schedules import ScheduleBook
from workers.services import Services

NAME = "nightly"


class KillError(Exception):
    """The process is gone."""


@pytest.fixture
def services(client: redis.Redis, tmp_path: Path) -> Services:
    made = services_over(client, blob_url=str(tmp_path))
    book = ScheduleBook(made.redis)
    sync = SyncParams(sources=("/notes",))
    book.save(Schedule(name=NAME, collection="c", sync=sync, every="0 2 * * *", created=1.0))
    return made


def running(services: Services) -> list[str]:
    records = services.ledger.jobs_by_id(services.redis.zrange(ACTIVE, 0, -1))
    return [record.job.id for record in records if record.state is JobState.RUNNING]


def die(*_args: object, **_more: object) -> None:
    raise KillError


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """The message comes again when the broker's visibility time-out is over."""
    moment = time.time() + seconds
    monkeypatch.setattr(scheduled.time, "time", lambda: moment)


@pytest.mark.parametrize("dies_at", ["submit_job", "keep_hours"])
def test_a_message_that_comes_again_after_a_crash_begins_no_second_sync(
    services: Services, monkeypatch: pytest.MonkeyPatch, dies_at: str
) -> None:
    with monkeypatch.context() as crash:
        crash.setattr(scheduled, dies_at, die)
        with pytest.raises(KillError):
            begin_scheduled(services, Broker(), NAME)
    later(monkeypatch, 125)
    begun = begin_scheduled(services, Broker(), NAME)
    assert (begun == "") == (dies_at == "keep_hours"), "the job was made before"
    assert running(services) == [ScheduleBook(services.redis).begun(NAME)]


def test_of_two_messages_at_once_one_begins_a_sync(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = ScheduleBook.begun
    other: list[str] = []

    def begun(book: ScheduleBook, name: str) -> str:
        before = known(book, name)
        if not other:
            other.append("")
            other[0] = begin_scheduled(services, Broker(), name)
            later(monkeypatch, 125)
        return before

    monkeypatch.setattr(ScheduleBook, "begun", begun)
    assert begin_scheduled(services, Broker(), NAME) == ""
    assert running(services) == other


def test_a_schedule_tells_how_its_last_job_stands_and_why_it_failed(services: Services) -> None:
    schedules = Schedules(services, application_for(services.settings))
    assert [each.last_state for each in schedules.all()] == [None]
    begun = begin_scheduled(services, Broker(), NAME)
    (scheduled,) = schedules.all()
    assert (scheduled.last_job, scheduled.last_state) == (begun, JobState.RUNNING)
    services.ledger.end(begun, None, JobState.FAILED, {"error": "sources: got '/notes'"})
    assert [each.last_state for each in schedules.all()] == [JobState.FAILED]
    reasons = [run.reason for run in schedules.runs(NAME).runs]
    assert reasons == ["sources: got '/notes'"], "before history has it"


def test_a_schedules_runs_are_those_of_history_and_the_one_that_runs(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedules = Schedules(services, application_for(services.settings))
    assert schedules.runs(NAME).runs == ()
    others = ({"schedule": "weekly"}, {"schedule": NAME, "collection": "before"}, {})
    Ends(services.redis).put(
        *(
            row(at, kind="sync", collection=params.get("collection", "c"), params=params)
            for at, params in enumerate(others)
        )
    )
    nights = list[str]()
    for night in range(3):
        later(monkeypatch, 86400 * night)
        nights.append(begin_scheduled(services, Broker(), NAME))
        if night < 2:
            cancel_job(services, nights[-1])
    first, second, third = nights
    runs = schedules.runs(NAME).runs
    assert [(run.job_id, run.state) for run in runs] == [
        (third, JobState.RUNNING),
        (second, JobState.CANCELLED),
        (first, JobState.CANCELLED),
    ]
    assert (runs[0].ended, runs[1].reason) == (None, "cancelled by the user")
    page = schedules.runs(NAME, limit=1)
    assert [run.job_id for run in page.runs] == [third, second]
    assert [run.job_id for run in schedules.runs(NAME, before=page.next).runs] == [first]
    cancel_job(services, third)
    assert [run.job_id for run in schedules.runs(NAME).runs] == [third, second, first], "once, though in both"
    with pytest.raises(InvalidInput, match="schedule"):
        schedules.runs("weekly")


def test_a_message_of_a_schedule_that_was_paused_meanwhile_begins_nothing(services: Services) -> None:
    book = ScheduleBook(services.redis)
    schedule = book.find(NAME)
    assert schedule is not None
    book.save(schedule.model_copy(update={"paused": True}))
    assert begin_scheduled(services, Broker(), NAME) == ""
    assert (running(services), book.begun(NAME)) == ([], "")
    book.save(schedule)
    assert begin_scheduled(services, Broker(), NAME) in running(services)
