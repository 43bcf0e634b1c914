"""hopline jobs, cancel and retry with options that name many jobs."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from doubles.desk import ANSWER, Desk
from typer.testing import Result

from producer.commands.jobs.job_filters import read_since
from workers.core.errors import InvalidInput
from workers.core.jobs.work import JobState

Run = Callable[..., Result]
HOUR = 3600.0


@pytest.fixture
def jobs(desk: Desk, run: Run) -> dict[str, str]:
    """Return ids of jobs: an old and a new failed question, one that runs, and a done one."""
    ids = {name: run("ask", f"{name}?", "--no-wait").stdout.strip() for name in ("old", "new", "runs")}
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER)
    ids["done"] = run("ask", "done?", "--no-wait").stdout.strip()
    for name in ("old", "new"):
        ended(desk, ids[name], ago=9 * HOUR if name == "old" else 0.0)
    return ids


def ended(desk: Desk, job_id: str, ago: float) -> None:
    record = desk.ledger.records[job_id]
    created = record.created - ago
    desk.ledger.records[job_id] = record.model_copy(
        update={"state": JobState.FAILED, "created": created, "ended": created + 1, "dead": 1}
    )


def listed(run: Run, *options: str) -> set[str]:
    return {record["job"]["id"] for record in json.loads(run("jobs", "--json", *options).stdout)["jobs"]}


def test_jobs_are_listed_by_state_kind_collection_and_time(run: Run, jobs: dict[str, str]) -> None:
    assert listed(run, "--state", "failed") == {jobs["old"], jobs["new"]}
    assert listed(run, "--state", "failed", "--since", "8h") == {jobs["new"]}
    assert listed(run, "--kind", "batch") == set()
    assert listed(run, "-c", "default", "--kind", "query") == set(jobs.values())
    assert listed(run, "-c", "other") == set()


def test_a_dry_run_lists_what_would_be_retried_and_does_nothing(
    desk: Desk, run: Run, jobs: dict[str, str]
) -> None:
    before = dict(desk.ledger.records)
    done = run("retry", "--since", "1d", "--dry-run")
    assert done.exit_code == 0
    assert "Would retry 2 jobs; nothing was done." in done.stderr
    assert jobs["done"] not in done.stdout
    assert desk.ledger.records == before


def test_a_dry_run_lists_all_that_it_counts_behind_very_many_that_need_no_retry(
    run: Run, jobs: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("producer.commands.jobs.jobs.MOST_JOBS", 2)
    done = run("retry", "--since", "1d", "--dry-run")
    assert "Would retry 2 jobs" in done.stderr
    assert (jobs["new"] in done.stdout, jobs["old"] in done.stdout) == (True, True)


def test_all_failed_since_then_are_retried(desk: Desk, run: Run, jobs: dict[str, str]) -> None:
    done = run("retry", "--state", "failed", "--since", "8h")
    assert "1 of 1 job retried." in done.stderr
    (again,) = done.stdout.split()
    assert again not in jobs.values()
    assert desk.ledger.records[again].job.params["question"] == "new?"


def test_running_jobs_of_a_kind_are_cancelled(desk: Desk, run: Run, jobs: dict[str, str]) -> None:
    done = run("cancel", "--kind", "query")
    assert done.stdout.split() == [jobs["runs"]]
    states = {name: desk.ledger.records[job_id].state for name, job_id in jobs.items()}
    assert states == {"old": "failed", "new": "failed", "runs": "cancelled", "done": "done"}


def test_jobs_are_listed_and_cancelled_by_tag_and_step(desk: Desk, run: Run, jobs: dict[str, str]) -> None:
    del desk.ledger.play["query"]
    tagged = run("ask", "tagged?", "--no-wait", "--tag", "team=legal").stdout.strip()
    assert listed(run, "--tag", "team=legal") == {tagged}
    assert listed(run, "--tag", "team=sales") == set()
    assert listed(run, "--step", "traverse.plan") == {*jobs.values(), tagged}
    assert listed(run, "--step", "ingest.extract") == set()
    assert listed(run, "--until", "1d") == set()
    assert run("cancel", "--tag", "team=legal").stdout.split() == [tagged]
    assert desk.ledger.records[jobs["runs"]].state == "running"


@pytest.mark.parametrize("command", ["cancel", "retry"])
def test_neither_an_id_nor_options_is_refused_and_so_are_both(
    run: Run, jobs: dict[str, str], command: str
) -> None:
    for words in ((), ("--dry-run",), (jobs["new"], "-c", "default"), (jobs["new"], "--dry-run")):
        done = run(command, *words)
        assert done.exit_code == 2
        assert "JOB_ID" in done.stderr


def test_times_are_dates_moments_and_how_long_ago() -> None:
    assert read_since("2026-11-20") == datetime(2026, 11, 20).astimezone()
    assert read_since("2026-11-20T08:30+01:00") == datetime(2026, 11, 20, 7, 30, tzinfo=UTC)
    now = datetime.now().astimezone()
    for text, ago in (("30min", timedelta(minutes=30)), ("12h", timedelta(hours=12)), ("7d", timedelta(7))):
        assert abs(now - ago - read_since(text)) < timedelta(minutes=1)


@pytest.mark.parametrize("text", ["", "yesterday", "5", "7w", "2026-13-01", "999999d" + "9" * 9])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="since"):
        read_since(text)
