"""hopline jobs replay of one job or many; jobs, cancel and retry with options that name many."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from doubles.command_line import Run
from doubles.desk import ANSWER, Desk

from hopline.commands.filters import read_since
from hopline.errors import InvalidInput
from hopline.models.jobs import JobState, Json

NIGHTLY = ("--tag", "suite=nightly")


@pytest.fixture
def job_id(desk: Desk, run: Run) -> str:
    """Return the id of an answered question of a session."""
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER)
    options = ("--session", "s", *NIGHTLY, "--max-depth", "2")
    return run("ask", "When was it opened?", "--no-wait", *options).stdout.strip()


def set_params(desk: Desk, job_id: str, params: Json) -> None:
    record = desk.ledger.records[job_id]
    job = record.job.model_copy(update={"params": params})
    desk.ledger.records[job_id] = record.model_copy(update={"job": job})


def test_a_replay_is_a_new_job_with_changes_beside_the_old_one(desk: Desk, run: Run, job_id: str) -> None:
    before = desk.ledger.records[job_id]
    later = {**ANSWER, "text": "It was opened in 1891.", "citations": []}
    desk.ledger.play["query"] = ([], JobState.DONE, later)
    shown = run("jobs", "replay", job_id, "--param", "max_depth=4", "--param", "strategy=reader")
    assert shown.exit_code == 0, shown.output
    for words in ("max_depth: 2 → 4", '"auto" → "reader"', "in 1890", "in 1891", "no longer cited: d1"):
        assert words in shown.stdout
    (new,) = set(desk.ledger.records) - {job_id}
    job = desk.ledger.records[new].job
    changed = {"replay_of": job_id, "max_depth": 4, "strategy": "reader"}
    assert {**changed, "question": "When was it opened?", "session": "s"}.items() <= job.params.items()
    assert job.tags == {"suite": "nightly"}
    assert desk.ledger.records[job_id] == before
    desk.ledger.play["query"] = ([], JobState.PARTIAL, {**later, "reason": "nothing was found"})
    assert run("jobs", "replay", job_id, "--key", "again").exit_code == 4


def test_a_dry_run_does_nothing_and_the_same_replay_again_is_the_same_job(desk, run, job_id):
    done = run("jobs", "replay", job_id, "--param", "max_depth=4", "--dry-run")
    assert "max_depth: 2 → 4" in done.stdout
    assert "nothing was done" in done.stderr
    changes = json.loads(
        run("jobs", "replay", job_id, "--param", "max_depth=4", "--dry-run", "--json").stdout
    )
    assert changes == {"job_id": job_id, "dry_run": True, "changed": {"max_depth": [2, 4]}}
    assert "Would replay 1 job" in run("jobs", "replay", *NIGHTLY, "--dry-run").stderr
    would = json.loads(run("jobs", "replay", *NIGHTLY, "--dry-run", "--json").stdout)
    assert (would["dry_run"], would["jobs"]) == (True, [job_id])
    assert list(desk.ledger.records) == [job_id]
    first = run("jobs", "replay", job_id, "--no-wait").stdout.strip()
    assert run("jobs", "replay", job_id, "--no-wait", "--param", "max_depth=2").stdout.strip() == first
    assert run("jobs", "replay", job_id, "--no-wait", "--key", "new-model").stdout.strip() != first
    assert run("jobs", "replay", job_id, "--no-wait", "--param", "max_depth=null").stdout.strip() != first
    shown = json.loads(run("jobs", "replay", job_id, "--json").stdout)
    assert (shown["before"]["job_id"], shown["after"]["job_id"]) == (job_id, first)
    assert (shown["changed"], shown["lost"], shown["won"]) == ({}, [], [])


def test_a_job_of_many_collections_or_older_changes_only_as_asked(desk: Desk, run: Run, job_id: str) -> None:
    params = desk.ledger.records[job_id].job.params
    set_params(desk, job_id, {**params, "collections": ["default", "letters"]})
    assert "no parameter is changed" in run("jobs", "replay", job_id, "--dry-run").stdout
    set_params(desk, job_id, {name: value for name, value in params.items() if name != "max_seeds"})
    assert json.loads(run("jobs", "replay", job_id, "--json").stdout)["changed"] == {}


def test_a_scope_that_only_one_of_both_has_is_a_change(desk: Desk, run: Run, job_id: str) -> None:
    filtered = run("jobs", "replay", job_id, "--param", 'where=tags has "a"', "--no-wait").stdout.strip()
    shown = json.loads(
        run("jobs", "replay", job_id, "--param", "as_of=2021-01-01", "--dry-run", "--json").stdout
    )
    assert shown["changed"] == {"as_of": [None, "2021-01-01"]}
    where = desk.ledger.records[filtered].job.params["where"]
    assert where
    without = json.loads(
        run("jobs", "replay", filtered, "--param", "where=null", "--dry-run", "--json").stdout
    )
    assert without["changed"]["where"] == [where, None]


def test_many_are_replayed_once_and_without_waiting(desk: Desk, run: Run, job_id: str) -> None:
    refused = run("jobs", "replay", *NIGHTLY, "--wait")
    assert refused.exit_code == 2
    assert "only one job can be waited for" in refused.stderr
    assert list(desk.ledger.records) == [job_id]
    done = run("jobs", "replay", *NIGHTLY, "--param", "max_depth=4")
    assert "1 of 1 job replayed." in done.stderr
    again = json.loads(
        run("jobs", "replay", *NIGHTLY, "--param", "max_depth=4", "--no-wait", "--json").stdout
    )
    assert (again["done"], again["jobs"]) == (1, [done.stdout.strip()])
    assert len(desk.ledger.records) == 2


@pytest.mark.parametrize("param", [
    "nonsense=1", "max_depth=0", "max_depth", "question=Who?", "session=t", "replay_of=j", "strategy=x",
])  # fmt: skip
def test_what_a_question_cannot_have_is_refused(desk: Desk, run: Run, job_id: str, param: str) -> None:
    for jobs in ((job_id,), NIGHTLY, (job_id, "--dry-run")):
        refused = run("jobs", "replay", *jobs, "--param", param)
        assert refused.exit_code == 2
        assert param.partition("=")[0] in refused.stderr
    assert list(desk.ledger.records) == [job_id]


def test_only_a_question_that_has_ended_is_replayed(desk: Desk, run: Run) -> None:
    running = run("ask", "When?", "--no-wait").stdout.strip()
    assert "still runs" in run("jobs", "replay", running).stderr
    concept = run("concepts", "create", "entropy", "--no-wait").stdout.strip()
    assert "only questions are replayed" in run("jobs", "replay", concept).stderr
    assert set(desk.ledger.records) == {running, concept}
    assert "0 of 0 jobs replayed." in run("jobs", "replay", "--since", "1d").stderr


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


@pytest.mark.parametrize(("options", "names"), [
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
])  # fmt: skip
def test_jobs_are_listed_by_what_options_name(run, jobs, options, names):
    listed = json.loads(run("jobs", "--json", *options).stdout)["jobs"]
    assert {job["id"] for job in listed} == {jobs[name] for name in names}


def test_a_dry_run_lists_all_that_it_counts_and_does_nothing(desk, run, jobs):
    before = dict(desk.ledger.records)
    done = run("jobs", "retry", "--since", "1d", "--dry-run")
    assert done.exit_code == 0
    assert "Would retry 2 jobs; nothing was done." in done.stderr
    assert {name for name, job_id in jobs.items() if job_id in done.stdout} == {"old", "new"}
    assert desk.ledger.records == before


def test_what_options_name_is_retried_or_cancelled(desk: Desk, run: Run, jobs: dict[str, str]) -> None:
    assert run("jobs", "cancel", "--kind", "query", "--yes").stdout.split() == [jobs["runs"]]
    states = {name: desk.ledger.records[job_id].state for name, job_id in jobs.items()}
    assert states == {"old": "failed", "new": "failed", "runs": "cancelled", "done": "done"}
    done = run("jobs", "retry", "--state", "failed", "--since", "8h")
    assert "1 of 1 job retried." in done.stderr
    (again,) = done.stdout.split()
    assert again not in jobs.values()
    assert desk.ledger.records[again].job.params["question"] == "new?"


def test_jobs_are_cancelled_by_options_only_after_asking_how_many(desk: Desk, run: Run, jobs) -> None:
    for typed, code in (("n\n", 1), ("", 2), ("y\n", 0)):
        assert desk.ledger.records[jobs["runs"]].state == "running"
        done = run("jobs", "cancel", "--kind", "query", typed=typed)
        assert (done.exit_code, "Cancel 1 job? [y/N]" in done.stderr) == (code, True)
    assert desk.ledger.records[jobs["runs"]].state == "cancelled"
    none = run("jobs", "cancel", "--kind", "query")
    assert (none.exit_code, none.stderr.strip()) == (0, "0 of 0 jobs cancelled.")


@pytest.mark.parametrize("command", ["cancel", "retry"])
def test_neither_an_id_nor_options_nor_both_are_taken(run: Run, jobs: dict[str, str], command: str) -> None:
    for words in ((), ("--dry-run",), (jobs["new"], "-c", "default"), (jobs["new"], "--dry-run")):
        done = run("jobs", command, *words)
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
