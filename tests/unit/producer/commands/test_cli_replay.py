"""hopline replay: one job with both answers side by side, and many by filter."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from doubles.desk import ANSWER, Desk
from typer.testing import Result

from workers.core.jobs.work import JobState, Json

Run = Callable[..., Result]


@pytest.fixture
def job_id(desk: Desk, run: Run) -> str:
    """Return the id of an answered question of a session."""
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER)
    options = ("--session", "s", "--tag", "suite=nightly", "--max-depth", "2")
    return run("ask", "When was it opened?", "--no-wait", *options).stdout.strip()


def answer_now(desk: Desk, **fields: object) -> None:
    desk.ledger.play["query"] = ([], JobState.DONE, {**ANSWER, **fields})


def params_of(desk: Desk, job_id: str) -> Json:
    return desk.ledger.records[job_id].job.params


def test_a_replay_is_a_new_job_with_the_changed_parameters_beside_the_old_one(
    desk: Desk, run: Run, job_id: str
) -> None:
    before = desk.ledger.records[job_id]
    answer_now(desk, text="It was opened in 1891.", citations=[])
    shown = run("replay", job_id, "--param", "max_depth=4", "--param", "strategy=reader")
    assert shown.exit_code == 0, shown.output
    for words in ("max_depth: 2 → 4", '"auto" → "reader"', "in 1890", "in 1891", "no longer cited: d1"):
        assert words in shown.stdout
    (new,) = set(desk.ledger.records) - {job_id}
    params = params_of(desk, new)
    assert (params["replay_of"], params["max_depth"], params["strategy"]) == (job_id, 4, "reader")
    assert (params["question"], params["session"]) == ("When was it opened?", "s")
    assert desk.ledger.records[new].job.tags == {"suite": "nightly"}
    assert desk.ledger.records[job_id] == before


def test_the_same_replay_again_is_the_same_job_and_another_key_makes_another(run: Run, job_id: str) -> None:
    first = run("replay", job_id, "--no-wait").stdout.strip()
    assert run("replay", job_id, "--no-wait", "--param", "max_depth=2").stdout.strip() == first
    assert run("replay", job_id, "--no-wait", "--key", "new-model").stdout.strip() != first
    assert run("replay", job_id, "--no-wait", "--param", "max_depth=null").stdout.strip() != first
    shown = json.loads(run("replay", job_id, "--json").stdout)
    assert (shown["before"]["job_id"], shown["after"]["job_id"]) == (job_id, first)
    assert (shown["changed"], shown["lost"], shown["won"]) == ({}, [], [])


def test_a_dry_run_says_what_would_change_and_does_nothing(desk: Desk, run: Run, job_id: str) -> None:
    done = run("replay", job_id, "--param", "max_depth=4", "--dry-run")
    assert "max_depth: 2 → 4" in done.stdout
    assert "nothing was done" in done.stderr
    assert "Would replay 1 job" in run("replay", "--tag", "suite=nightly", "--dry-run").stderr
    assert list(desk.ledger.records) == [job_id]


def test_a_dry_run_of_a_question_over_several_collections_changes_none_of_them(
    desk: Desk, run: Run, job_id: str
) -> None:
    record = desk.ledger.records[job_id]
    several = {**record.job.params, "collections": ["default", "letters"]}
    job = record.job.model_copy(update={"params": several})
    desk.ledger.records[job_id] = record.model_copy(update={"job": job})
    assert "no parameter is changed" in run("replay", job_id, "--dry-run").stdout


def test_a_scope_that_only_one_of_both_has_is_a_change(desk: Desk, run: Run, job_id: str) -> None:
    filtered = run("replay", job_id, "--param", 'where=tags has "a"', "--no-wait").stdout.strip()
    shown = json.loads(run("replay", job_id, "--param", "as_of=2021-01-01", "--dry-run", "--json").stdout)
    assert shown["changed"] == {"as_of": [None, "2021-01-01"]}
    record = desk.ledger.records[filtered]
    assert record.job.params["where"]
    without = json.loads(run("replay", filtered, "--param", "where=null", "--dry-run", "--json").stdout)
    assert without["changed"]["where"] == [record.job.params["where"], None]


@pytest.mark.usefixtures("job_id")
def test_many_are_replayed_once_and_their_replays_are_not(desk: Desk, run: Run) -> None:
    done = run("replay", "--tag", "suite=nightly", "--param", "max_depth=4")
    assert "1 of 1 job replayed." in done.stderr
    assert run("replay", "--tag", "suite=nightly", "--param", "max_depth=4").stdout == done.stdout
    assert len(desk.ledger.records) == 2


def test_json_is_printed_of_a_dry_run_and_of_many(desk: Desk, run: Run, job_id: str) -> None:
    changes = json.loads(run("replay", job_id, "--param", "max_depth=4", "--dry-run", "--json").stdout)
    assert changes == {"job_id": job_id, "dry_run": True, "changed": {"max_depth": [2, 4]}}
    would = json.loads(run("replay", "--tag", "suite=nightly", "--dry-run", "--json").stdout)
    assert (would["dry_run"], would["jobs"]) == (True, [job_id])
    done = json.loads(run("replay", "--tag", "suite=nightly", "--json").stdout)
    assert (done["done"], done["jobs"]) == (1, [next(name for name in desk.ledger.records if name != job_id)])


def test_many_are_not_waited_for(desk: Desk, run: Run, job_id: str) -> None:
    refused = run("replay", "--tag", "suite=nightly", "--wait")
    assert refused.exit_code == 2
    assert "many replays are not waited for" in refused.stderr
    assert list(desk.ledger.records) == [job_id]
    assert run("replay", "--tag", "suite=nightly", "--no-wait").exit_code == 0


@pytest.mark.parametrize(
    ("state", "code"), [(JobState.FAILED, 1), (JobState.ABSTAINED, 3), (JobState.PARTIAL, 4)]
)
def test_a_replay_exits_as_its_answer_stands(
    desk: Desk, run: Run, job_id: str, state: JobState, code: int
) -> None:
    desk.ledger.play["query"] = ([], state, {**ANSWER, "reason": "nothing was found"})
    assert run("replay", job_id).exit_code == code
    assert run("replay", job_id, "--no-wait").exit_code == 0


def test_a_parameter_that_a_job_s_version_did_not_know_has_its_default(
    desk: Desk, run: Run, job_id: str
) -> None:
    record = desk.ledger.records[job_id]
    older = {name: value for name, value in record.job.params.items() if name != "max_seeds"}
    job = record.job.model_copy(update={"params": older})
    desk.ledger.records[job_id] = record.model_copy(update={"job": job})
    assert "no parameter is changed" in run("replay", job_id, "--dry-run").stdout
    assert json.loads(run("replay", job_id, "--json").stdout)["changed"] == {}


def test_a_wrong_value_is_named_as_a_parameter(run: Run, job_id: str) -> None:
    assert "params.max_depth: got 0" in run("replay", job_id, "--param", "max_depth=0").stderr


@pytest.mark.parametrize(
    "param",
    ["nonsense=1", "max_depth=0", "max_depth", "question=Who?", "session=t", "replay_of=j", "strategy=x"],
)
def test_what_a_question_cannot_have_is_refused(desk: Desk, run: Run, job_id: str, param: str) -> None:
    for jobs in ((job_id,), ("--tag", "suite=nightly"), (job_id, "--dry-run")):
        assert run("replay", *jobs, "--param", param).exit_code == 2
    assert list(desk.ledger.records) == [job_id]


def test_only_a_question_that_has_ended_is_replayed(desk: Desk, run: Run) -> None:
    running = run("ask", "When?", "--no-wait").stdout.strip()
    assert "still runs" in run("replay", running).stderr
    concept = run("concept", "entropy", "--no-wait").stdout.strip()
    assert "only questions are replayed" in run("replay", concept).stderr
    assert set(desk.ledger.records) == {running, concept}
    assert "0 of 0 jobs replayed." in run("replay", "--since", "1d").stderr
