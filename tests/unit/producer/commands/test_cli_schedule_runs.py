"""hopline schedules runs: what a schedule began."""

import json
from datetime import datetime

import pytest
from doubles.command_line import Run

from hopline.models.jobs import JobState
from hopline.models.schedules import NotBegun, ScheduleRun, ScheduleRuns
from producer.client.hopline import Hopline

BEGUN = datetime(2026, 3, 1, 2, 30).astimezone().timestamp()
RUNNING = ScheduleRun(job_id="j-running", state=JobState.RUNNING, created=BEGUN, calls=3)
FAILED = ScheduleRun(
    job_id="j-failed", state=JobState.FAILED, created=BEGUN, ended=BEGUN + 65.4, reason="the folder is gone"
)

MISSED = NotBegun(due=BEGUN, times=2, outcome="missed", reason="no beat process ran")


@pytest.fixture
def runs(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """List the runs of the schedule `nightly`, which began two; of `new` and `weekly`, which began none."""

    def schedule_runs(_self: Hopline, name: str, limit: int = 0) -> ScheduleRuns:
        begun = {"nightly": (RUNNING, FAILED), "new": (), "weekly": ()}[name]
        not_begun = (MISSED,) if name == "weekly" else ()
        return ScheduleRuns(runs=begun[:limit], not_begun=not_begun, next="b" if limit < len(begun) else "")

    monkeypatch.setattr(Hopline, "schedule_runs", schedule_runs)
    return lambda *args: run("schedules", "runs", *args)


def test_runs_are_listed_with_what_became_of_them(runs: Run) -> None:
    listed = runs("nightly")
    _head, running, failed = listed.stdout.strip().splitlines()
    assert running.split()[:4] == ["j-running", "running", "2026-03-01", "02:30"]
    assert failed.split()[:6] == ["j-failed", "failed", "2026-03-01", "02:30", "65", "s"]
    assert failed.rstrip().endswith("the folder is gone")
    assert "more" not in listed.stderr
    nothing = runs("new")
    assert (nothing.exit_code, nothing.stdout) == (0, "")
    assert "new has begun nothing yet" in nothing.stderr
    listed = runs("nightly", "-n", 1)
    assert "j-failed" not in listed.stdout
    assert "hopline schedules runs nightly --limit 200" in listed.stderr
    page = json.loads(runs("nightly", "-n", 1, "--json").stdout)
    assert ScheduleRuns.model_validate(page) == ScheduleRuns(runs=(RUNNING,), next="b")
    listed = runs("weekly")
    (_head, missed) = listed.stdout.strip().splitlines()
    assert missed.split() == ["2026-03-01", "02:30", "2", "missed", "no", "beat", "process", "ran"]
    assert "weekly has begun nothing yet" in listed.stderr


@pytest.mark.parametrize(("option", "value", "said"), [
    ("--overlap-policy", "skip", "--every"), ("--catchup-window", "1d", "--every"),
])  # fmt: skip
def test_what_is_of_schedules_alone_is_refused_for_a_sync(run, option, value, said):
    refused = run("sync", "notes", option, value)
    assert (refused.exit_code, said in refused.stderr) == (2, True)


@pytest.mark.parametrize("window", ["soon", "1 s", "2"])
def test_a_window_is_minutes_hours_or_days(run: Run, window: str) -> None:
    refused = run("sync", "notes", "--every", "0 2 * * *", "--catchup-window", window)
    assert (refused.exit_code, "30min, 12h, 7d" in refused.stderr) == (2, True)
