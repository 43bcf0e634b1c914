"""A crash between the two writes of a schedule's pause or resumption leaves what the same act again mends."""

from collections.abc import Iterator
from typing import Any, cast

import pytest
from celery import Celery
from doubles.desk import Desk
from redis.exceptions import ConnectionError as RedisConnectionError

from hopline.models.schedules import Scheduled
from producer.service.schedules import Schedules, schedule_of
from workers.app import application_for
from workers.ledger.schedules import ScheduleBook
from workers.schedules.beat import remove_entry

NAME = "reports"


@pytest.fixture
def app(desk: Desk) -> Celery:
    application = cast("Any", application_for(desk.settings))
    application.redbeat_redis = desk.redis
    return cast("Celery", application)


@pytest.fixture
def schedules(desk: Desk, app: Celery) -> Schedules:
    stored = Schedules(cast("Any", desk), app)
    stored.add(schedule_of(["/texts"], NAME, every="0 2 * * *"))
    return stored


@pytest.fixture
def crashing(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    with monkeypatch.context() as context:
        yield context


def fail(*_: object) -> None:
    raise RedisConnectionError("connection refused")


def standing(schedules: Schedules) -> Scheduled:
    (scheduled,) = schedules.all()
    return scheduled


@pytest.mark.parametrize("place", ["book", "entry"])
def test_a_resumption_that_was_cut_off_is_repaired_by_another(schedules, crashing, place):
    schedules.pause(NAME)
    if place == "book":
        crashing.setattr(ScheduleBook, "save", fail)
    else:
        crashing.setattr("producer.service.schedules.save_entry", fail)
    with pytest.raises(RedisConnectionError):
        schedules.resume(NAME)
    assert standing(schedules).schedule.paused, "else another resumption does nothing"
    crashing.undo()
    resumed = schedules.resume(NAME)
    assert not resumed.schedule.paused
    assert resumed.due is not None


def test_a_schedule_that_is_never_due_is_due_once_it_is_resumed(schedules: Schedules, app: Celery) -> None:
    remove_entry(app, NAME)
    assert standing(schedules).due is None
    assert schedules.resume(NAME).due is not None


def test_a_pause_that_was_cut_off_begins_nothing_and_is_repaired_by_another(schedules, crashing):
    crashing.setattr("producer.service.schedules.remove_entry", fail)
    with pytest.raises(RedisConnectionError):
        schedules.pause(NAME)
    assert standing(schedules).schedule.paused, "what is due is looked up here before it is begun"
    crashing.undo()
    assert schedules.pause(NAME).due is None
