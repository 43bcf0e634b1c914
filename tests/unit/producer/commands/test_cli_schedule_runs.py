"""hopline schedules: which there are, and what one began."""

import json
from datetime import datetime

import pytest
from doubles.command_line import Run

from hopline.models.jobs import JobState
from hopline.models.params import SyncParams
from hopline.models.schedules import NotBegun, Schedule, Scheduled, ScheduleRun, ScheduleRuns
from producer.service.schedules import Schedules

BEGUN = datetime(2026, 3, 1, 2, 30).astimezone().timestamp()
RUNNING = ScheduleRun(job_id="j-running", state=JobState.RUNNING, created=BEGUN, calls=3)
FAILED = ScheduleRun(
    job_id="j-failed", state=JobState.FAILED, created=BEGUN, ended=BEGUN + 65.4, reason="the folder is gone"
)

MISSED = NotBegun(due=BEGUN, times=2, outcome="missed", reason="no beat process ran")


@pytest.fixture
def runs(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """List the runs of the schedule `nightly`, which began two; of `new` and `weekly`, which began none."""

    def of_schedule(_self: Schedules, name: str, *, before: str, limit: int) -> ScheduleRuns:
        assert before == ""
        begun = {"nightly": (RUNNING, FAILED), "new": (), "weekly": ()}[name]
        not_begun = (MISSED,) if name == "weekly" else ()
        return ScheduleRuns(runs=begun[:limit], not_begun=not_begun, next="b" if limit < len(begun) else "")

    def find(_self: Schedules, name: str) -> Schedule | None:
        known = {"nightly", "new", "weekly"}
        sync = SyncParams(sources=("s3://notes",))
        return (
            Schedule(name=name, collection="notes", sync=sync, every="0 2 * * *") if name in known else None
        )

    monkeypatch.setattr(Schedules, "runs", of_schedule)
    monkeypatch.setattr(Schedules, "find", find)
    monkeypatch.setattr(
        Schedules,
        "all",
        lambda self: [Scheduled(schedule=find(self, name)) for name in ("nightly", "new", "weekly")],
    )
    return lambda *args: run("schedules", "show", *args)


def test_runs_are_listed_with_what_became_of_them(runs: Run) -> None:
    listed = runs("nightly")
    *_schedule, _head, running, failed = listed.stdout.strip().splitlines()
    assert running.split()[:4] == ["j-running", "running", "2026-03-01", "02:30"]
    assert failed.split()[:4] == ["j-failed", "failed", "2026-03-01", "02:30"]
    assert failed.split()[5:7] == ["65", "s"], "behind the zone"
    assert failed.rstrip().endswith("the folder is gone")
    assert "more" not in listed.stderr
    nothing = runs("ne")
    assert (nothing.exit_code, "j-" in nothing.stdout, "s3://notes" in nothing.stdout) == (0, False, True)
    assert "new has begun nothing yet" in nothing.stderr
    listed = runs("nightly", "-n", 1)
    assert "j-failed" not in listed.stdout
    assert "hopline schedules show nightly --limit 200" in listed.stderr
    page = json.loads(runs("nightly", "-n", 1, "--json").stdout)
    assert (page["name"], page["sources"]) == ("nightly", ["s3://notes"])
    assert [each["job_id"] for each in page["runs"]] == ["j-running"]
    assert page["next"]
    listed = runs("weekly")
    *_schedule, _head, missed = listed.stdout.strip().splitlines()
    assert missed.split()[:2] == ["2026-03-01", "02:30"]
    assert missed.split()[3:] == ["2", "missed", "no", "beat", "process", "ran"], "behind the zone"
    assert "weekly has begun nothing yet" in listed.stderr
    unknown = runs("daily")
    assert (unknown.exit_code, unknown.stderr) == (
        3,
        "error: no schedule daily: `hopline schedules` lists them\n",
    )


def test_schedules_are_listed_with_how_the_last_sync_ended(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    schedule = Schedule(
        name="nightly", collection="notes", sync=SyncParams(sources=("n",)), every="0 2 * * *"
    )
    begun = Scheduled(schedule=schedule, due=0.0, last_job="j1", last_state=JobState.DONE, missed=2)
    expired = Scheduled(schedule=schedule.model_copy(update={"name": "old", "paused": True}), last_job="j0")
    monkeypatch.setattr(Schedules, "all", lambda _self: [begun, expired])
    monkeypatch.setattr(Schedules, "watched", lambda _self: False)
    listed = run("schedules", "list")
    _head, first, second = listed.stdout.strip().splitlines()
    for part in ("nightly", "1970-01-01 00:00 UTC", "j1 done", "2 missed"):
        assert part in first
    assert ("paused" in second, "j0 expired" in second) == (True, True)
    assert "No beat process runs" in listed.stderr
    rows = json.loads(run("schedules", "list", "--json").stdout)
    assert [(row["name"], row["last_state"]) for row in rows["schedules"]] == [
        ("nightly", "done"),
        ("old", "expired"),
    ]
    assert rows["watched"] is False


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
