"""hopline jobs, cancel and retry with options that name many jobs."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from doubles.command_line import Run
from doubles.desk import ANSWER, Desk

from producer.commands.jobs.job_filters import read_since
from workers.core.errors import InvalidInput
from workers.core.jobs.work import JobState


@pytest.fixture
def jobs(desk: Desk, run: Run) -> dict[str, str]:
    """Return ids of jobs: an old and a new failed question, one that runs, and a done one with a tag."""
    ids = {name: run("ask", f"{name}?", "--no-wait").stdout.strip() for name in ("old", "new", "runs")}
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER)
    ids["done"] = run("ask", "done?", "--no-wait", "--tag", "team=legal").stdout.strip()
    for name, ago in (("old", 9 * 3600.0), ("new", 0.0)):
        record = desk.ledger.records[ids[name]]
        times = {"created": record.created - ago, "ended": record.created - ago + 1}
        failed = {"state": JobState.FAILED, "dead": 1, **times}
        desk.ledger.records[ids[name]] = record.model_copy(update=failed)
    return ids


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (("--state", "failed"), {"old", "new"}),
        (("--state", "failed", "--since", "8h"), {"new"}),
        (("--until", "8h"), {"old"}),
        (("--kind", "batch"), set()),
        (("-c", "default", "--kind", "query"), {"old", "new", "runs", "done"}),
        (("-c", "other"), set()),
        (("--tag", "team=legal"), {"done"}),
        (("--tag", "team=sales"), set()),
        (("--step", "traverse.plan"), {"old", "new", "runs", "done"}),
        (("--step", "ingest.extract"), set()),
    ],
)
def test_jobs_are_listed_by_what_options_name(run, jobs, options, names):
    listed = json.loads(run("jobs", "--json", *options).stdout)["jobs"]
    assert {record["job"]["id"] for record in listed} == {jobs[name] for name in names}


def test_a_dry_run_lists_all_that_it_counts_behind_very_many_and_does_nothing(desk, run, jobs, monkeypatch):
    monkeypatch.setattr("producer.commands.jobs.jobs.MOST_JOBS", 2)
    before = dict(desk.ledger.records)
    done = run("retry", "--since", "1d", "--dry-run")
    assert done.exit_code == 0
    assert "Would retry 2 jobs; nothing was done." in done.stderr
    assert {name for name, job_id in jobs.items() if job_id in done.stdout} == {"old", "new"}
    assert desk.ledger.records == before


def test_what_options_name_is_retried_or_cancelled(desk: Desk, run: Run, jobs: dict[str, str]) -> None:
    assert run("cancel", "--kind", "query").stdout.split() == [jobs["runs"]]
    states = {name: desk.ledger.records[job_id].state for name, job_id in jobs.items()}
    assert states == {"old": "failed", "new": "failed", "runs": "cancelled", "done": "done"}
    done = run("retry", "--state", "failed", "--since", "8h")
    assert "1 of 1 job retried." in done.stderr
    (again,) = done.stdout.split()
    assert again not in jobs.values()
    assert desk.ledger.records[again].job.params["question"] == "new?"


@pytest.mark.parametrize("command", ["cancel", "retry"])
def test_neither_an_id_nor_options_nor_both_are_taken(run: Run, jobs: dict[str, str], command: str) -> None:
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
