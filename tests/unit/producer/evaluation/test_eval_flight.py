"""Jobs that someone waits for: how many at a time, and that none is left running."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import pytest
from doubles.desk import ANSWER, Desk

from producer.client.hopline import Hopline
from producer.evaluation.flight import in_flight, never_left
from workers.core.jobs.work import JobState


def asked_by(client: Hopline) -> Callable[[str, str], str]:
    return lambda subject, key: client.submit_question(subject, key=key)


def states(desk: Desk) -> list[str]:
    return [str(record.state) for record in desk.ledger.records.values()]


def test_every_subject_comes_back_with_its_own_job(desk: Desk, client: Hopline) -> None:
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER)
    subjects = [f"question {n}" for n in range(7)]
    flight = in_flight(client, subjects, asked_by(client), parallel=3, patience=600)
    with closing(flight) as ended:
        questions = {subject: record.job.params["question"] for subject, record in ended}
    assert questions == {subject: subject for subject in subjects}


def test_no_more_run_at_a_time_than_allowed_and_an_interrupt_ends_them(desk: Desk, client: Hopline) -> None:
    seen: list[int] = []

    def submit(subject: int, key: str) -> None:
        client.submit_question(f"question {subject}", key=key)
        seen.append(states(desk).count("running"))
        if len(seen) == 4:
            record = next(iter(desk.ledger.records.values()))
            desk.ledger.end(record.job.id, None, JobState.DONE, ANSWER)
        if len(seen) == 5:
            raise KeyboardInterrupt  # the job is there, and its submitter has not heard so

    flight = in_flight(client, range(9), submit, parallel=4, patience=600)
    with closing(flight) as ended:
        assert next(ended)[0] == 0
        with pytest.raises(KeyboardInterrupt):
            next(ended)
    assert max(seen) == 4
    assert states(desk) == ["done", "cancelled", "cancelled", "cancelled", "cancelled"]


def test_a_job_that_takes_too_long_is_an_error_and_is_cancelled(desk: Desk, client: Hopline) -> None:
    flight = in_flight(client, ["?"], asked_by(client), parallel=1, patience=0)
    with pytest.raises(TimeoutError, match="has not ended"), closing(flight) as ended:
        list(ended)
    assert states(desk) == ["cancelled"]


def test_a_job_is_cancelled_by_an_error_and_left_alone_without(desk: Desk, client: Hopline) -> None:
    with pytest.raises(KeyboardInterrupt), never_left(client):
        raise KeyboardInterrupt
    assert states(desk) == [], "there was no job yet"
    with never_left(client) as (key, job_id):
        assert client.submit_question("?", key=key) == job_id
    assert states(desk) == ["running"]
    with pytest.raises(TypeError), never_left(client) as (key, _job_id):
        client.wait(client.submit_question("?", key=key), timeout="no number")
    assert states(desk) == ["running", "cancelled"]
