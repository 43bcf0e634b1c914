"""A schedule's due runs are begun once, or said to be left out, wherever a process dies; on a real ledger."""

import time
from datetime import datetime
from pathlib import Path

import pytest
import redis
from doubles.broker import Broker
from doubles.history import Ends, row
from doubles.memory_redis import services_over

from hopline.errors import DependencyAway, InvalidInput
from hopline.models.jobs import JobState
from hopline.models.params import SyncParams
from hopline.models.schedules import Schedule
from hopline.models.times import timestamp
from producer.service.schedules import Schedules
from workers.app import application_for
from workers.core.jobs.schedules import DueRuns
from workers.core.redis_keys import ACTIVE
from workers.engine import scheduled
from workers.engine.scheduled import begin_all_due, begin_due
from workers.engine.submit import cancel_job
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


@pytest.fixture
def book(services: Services) -> ScheduleBook:
    return ScheduleBook(services.redis)


def change(book: ScheduleBook, **fields: object) -> None:
    """Give the schedule other settings."""
    schedule = book.find(NAME)
    book.save(schedule.model_copy(update=fields))


def note(book: ScheduleBook, *, ago: float = 0.0) -> float:
    """Note a run as due, as the beat process does; return its time."""
    due = time.time() - ago
    book.change(NAME, lambda runs: runs.add(due))
    return due


def begin(services: Services) -> str:
    return begin_due(services, Broker(), NAME)


def running(services: Services) -> list[str]:
    records = services.ledger.jobs_by_id(services.redis.zrange(ACTIVE, 0, -1))
    return [record.job.id for record in records if record.state is JobState.RUNNING]


def not_begun(book: ScheduleBook) -> list[tuple[str, datetime]]:
    return [(each.outcome, each.due) for each in book.due_runs(NAME).not_begun]


def die(*_args: object, **_more: object) -> None:
    raise KillError


@pytest.mark.parametrize("dies_at", ["note_begun", "submit_job", "begun", "keep_hours"])
@pytest.mark.parametrize("overlap_policy", ["skip", "buffer_one", "cancel_other"])
def test_a_run_is_begun_once_wherever_its_worker_dies(services, book, monkeypatch, dies_at, overlap_policy):
    change(book, overlap_policy=overlap_policy)
    note(book)
    holder = {"note_begun": ScheduleBook, "begun": DueRuns}.get(dies_at, scheduled)
    with monkeypatch.context() as crash:
        crash.setattr(holder, dies_at, die)
        with pytest.raises(KillError):
            begin(services)
    begin_all_due(services, Broker())
    assert running(services) == [book.begun(NAME)]
    assert (book.due_runs(NAME).due, not_begun(book)) == (None, [])
    begin_all_due(services, Broker())
    assert running(services) == [book.begun(NAME)]


def test_of_two_workers_that_begin_a_run_at_once_both_begin_the_same_sync(services, book, monkeypatch):
    note(book)
    known = ScheduleBook.begun
    other: list[str] = []

    def begun(book: ScheduleBook, name: str) -> str:
        before = known(book, name)
        if not other:
            other.append("")
            other[0] = begin(services)
        return before

    monkeypatch.setattr(ScheduleBook, "begun", begun)
    assert begin(services) == other[0]
    assert running(services) == other


def test_a_time_that_is_noted_twice_is_begun_once(services: Services, book: ScheduleBook) -> None:
    due = note(book)
    cancel_job(services, begin(services))
    book.change(NAME, lambda runs: runs.add(due))
    assert (begin(services), running(services), not_begun(book)) == ("", [], [])


def test_a_run_that_comes_while_the_one_before_runs_is_skipped_and_said_to_be(services, book):
    note(book, ago=100)
    first, due = begin(services), note(book)
    assert begin(services) == ""
    assert (running(services), not_begun(book)) == ([first], [("skipped", timestamp(due))])
    assert first in book.due_runs(NAME).not_begun[0].reason
    cancel_job(services, first)
    assert begin(services) == ""


def test_one_run_is_buffered_the_latest_and_begun_when_the_one_before_has_ended(services, book):
    change(book, overlap_policy="buffer_one")
    note(book, ago=200)
    first, second = begin(services), note(book, ago=150)
    assert begin(services) == ""
    third = note(book, ago=100)
    begin_all_due(services, Broker())
    assert book.due_runs(NAME).buffered
    assert (running(services), not_begun(book)) == ([first], [("skipped", timestamp(second))])
    cancel_job(services, first)
    change(book, catchup_window=60)  # what waits for the sync before is not late
    begin_all_due(services, Broker())
    (last,) = running(services)
    assert (last, last != first) == (book.begun(NAME), True)
    assert third not in [due for _, due in not_begun(book)]


def test_a_run_cancels_the_one_before_where_that_is_the_policy(services, book):
    change(book, overlap_policy="cancel_other")
    note(book, ago=100)
    first = begin(services)
    note(book)
    second = begin(services)
    assert running(services) == [second]
    assert services.ledger.job(first).state is JobState.CANCELLED
    assert not_begun(book) == []


@pytest.mark.parametrize(("late", "outcomes"), [(3000, []), (4000, ["missed"])])
def test_a_late_run_is_begun_within_its_catchup_window_and_else_missed(services, book, late, outcomes):
    change(book, catchup_window=3600)
    note(book, ago=late)
    begun = begin(services)
    assert running(services) == ([] if outcomes else [begun])
    assert [outcome for outcome, _ in not_begun(book)] == outcomes


def test_of_runs_that_no_worker_began_the_latest_is_begun_and_the_others_are_missed(services, book):
    times = [note(book, ago=ago) for ago in (300, 200, 100)]
    begin(services)
    assert (len(running(services)), not_begun(book)) == (
        1,
        [("missed", timestamp(times[1])), ("missed", timestamp(times[0]))],
    )


def test_a_run_whose_job_is_refused_is_missed_and_says_why(services: Services, book: ScheduleBook) -> None:
    change(book, collection="no such/name")
    due = note(book)
    assert (begin(services), not_begun(book)) == ("", [("missed", timestamp(due))])
    assert "no such/name" in book.due_runs(NAME).not_begun[0].reason


def test_the_runs_of_another_schedule_are_begun_where_one_cannot_be(services, book, monkeypatch):
    schedule = book.find(NAME)
    book.save(schedule.model_copy(update={"name": "abroad", "collection": "d"}))
    for name in (NAME, "abroad"):
        book.change(name, lambda runs: runs.add(time.time()))
    submit = scheduled.submit_job

    def away(services, publisher, kind, collection, *args, **more):
        if collection == "d":
            raise DependencyAway("the broker is away", dependency="redis")
        return submit(services, publisher, kind, collection, *args, **more)

    with monkeypatch.context() as outage:
        outage.setattr(scheduled, "submit_job", away)
        begin_all_due(services, Broker())
    assert running(services) == [book.begun(NAME)]
    begin_all_due(services, Broker())
    assert set(running(services)) == {book.begun(NAME), book.begun("abroad")}


def test_a_removed_schedule_begins_nothing_that_was_due(services: Services, book: ScheduleBook) -> None:
    note(book)
    Schedules(services, application_for(services.settings)).remove(NAME)
    assert begin(services) == ""
    assert book.all_due_runs() == {}


def test_a_schedule_tells_how_its_last_job_stands_and_why_it_failed(services: Services) -> None:
    schedules = Schedules(services, application_for(services.settings))
    assert [each.last_state for each in schedules.all()] == [None]
    note(ScheduleBook(services.redis), ago=100)
    begun = begin(services)
    (standing,) = schedules.all()
    assert (standing.last_job, standing.last_state) == (begun, JobState.QUEUED)
    note(ScheduleBook(services.redis))
    (standing,) = schedules.all()
    assert (standing.waiting is not None, standing.skipped) == (True, 0)
    begin(services)
    (standing,) = schedules.all()
    assert (standing.waiting, standing.skipped, standing.missed) == (None, 1, 0)
    assert [each.outcome for each in schedules.runs(NAME).not_begun] == ["skipped"]
    services.ledger.end(begun, None, JobState.FAILED, {"error": "sources is '/notes'"})
    assert [each.last_state for each in schedules.all()] == [JobState.FAILED]
    reasons = [run.reason for run in schedules.runs(NAME).runs]
    assert reasons == ["sources is '/notes'"], "before history has it"


def test_a_schedules_runs_are_those_of_history_and_the_one_that_runs(services, book):
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
        note(book, ago=86400 * (2 - night))
        nights.append(begin(services))
        if night < 2:
            cancel_job(services, nights[-1])
    first, second, third = nights
    runs = schedules.runs(NAME).runs
    assert [(run.job_id, run.state) for run in runs] == [
        (third, JobState.QUEUED),
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


def test_a_run_of_a_schedule_that_was_paused_meanwhile_is_skipped(services, book):
    due = note(book, ago=100)
    change(book, paused=True)
    assert begin(services) == ""
    assert (running(services), book.begun(NAME), not_begun(book)) == ([], "", [("skipped", timestamp(due))])
    change(book, paused=False)
    note(book)
    assert begin(services) in running(services)
