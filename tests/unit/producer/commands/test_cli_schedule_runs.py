"""hopline schedules runs: what a schedule began."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime

import pytest
from typer.testing import Result

from producer.client.hopline import Hopline
from workers.core.jobs.schedules import ScheduleRun, ScheduleRuns
from workers.core.jobs.work import JobState

Run = Callable[..., Result]
BEGUN = datetime(2026, 3, 1, 2, 30).astimezone()
RUNNING = ScheduleRun(job_id="j-running", state=JobState.RUNNING, created=BEGUN.timestamp(), calls=3)
FAILED = ScheduleRun(
    job_id="j-failed",
    state=JobState.FAILED,
    created=BEGUN.timestamp(),
    ended=BEGUN.timestamp() + 65.4,
    reason="the folder is gone",
)


@pytest.fixture
def began(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the schedule `nightly` have begun these."""

    def told(*runs: ScheduleRun, more: str = "") -> None:
        def schedule_runs(_self: Hopline, name: str, limit: int = 0) -> ScheduleRuns:
            assert name == "nightly"
            return ScheduleRuns(runs=runs[:limit], next=more)

        monkeypatch.setattr(Hopline, "schedule_runs", schedule_runs)

    return told


def test_runs_are_listed_with_what_became_of_them(run: Run, began: Callable[..., None]) -> None:
    began(RUNNING, FAILED)
    listed = run("schedules", "runs", "nightly")
    assert listed.exit_code == 0
    _head, running, failed = listed.stdout.strip().splitlines()
    assert running.split()[:4] == ["j-running", "running", "2026-03-01", "02:30"]
    assert failed.split()[:6] == ["j-failed", "failed", "2026-03-01", "02:30", "65", "s"]
    assert failed.rstrip().endswith("the folder is gone")
    assert "more" not in listed.stderr


def test_where_there_are_more_it_says_how_to_see_them(run: Run, began: Callable[..., None]) -> None:
    began(RUNNING, FAILED, more="before")
    listed = run("schedules", "runs", "nightly", "-n", 1)
    assert "j-failed" not in listed.stdout
    assert "hopline schedules runs nightly --limit 200" in listed.stderr


def test_a_schedule_that_has_begun_nothing_says_so(run: Run, began: Callable[..., None]) -> None:
    began()
    listed = run("schedules", "runs", "nightly")
    assert (listed.exit_code, listed.stdout) == (0, "")
    assert "nightly has begun nothing yet" in listed.stderr


def test_as_json_it_is_the_page(run: Run, began: Callable[..., None]) -> None:
    began(RUNNING, more="before")
    page = json.loads(run("schedules", "runs", "nightly", "--json").stdout)
    assert ScheduleRuns.model_validate(page) == ScheduleRuns(runs=(RUNNING,), next="before")
