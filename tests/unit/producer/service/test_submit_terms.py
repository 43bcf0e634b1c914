"""What a job takes over from who submits it: whose it is, how urgent, which request asked for it."""

from __future__ import annotations

import pytest
from doubles.desk import Desk, SentMessages

from producer.service.job_acts.acts import FittingJobs, RefusedJob, act_on, fits
from producer.service.service import Service
from workers.core.errors import EmbedderMismatch, InvalidInput, Permanent
from workers.core.graph.vectors import Embedder
from workers.core.ids import child_job_id, job_id, parent_of_job
from workers.core.jobs.work import Job, Priority, Terms
from workers.engine.submit import messages_for, submit_job
from workers.flows.batch import BATCH
from workers.flows.graph import QUERY
from workers.ledger.records import JobRecord

STEPS = [("synthesize", "critic.synthesize"), ("visit:k1", "traverse.visit")]


def _priorities(priority: Priority) -> list[int]:
    job = Job(id="j1", kind="query", collection="c", priority=priority)
    return [message.priority for message in messages_for(QUERY, job, STEPS)]


def test_an_urgent_jobs_messages_come_first_and_within_a_job_what_ends_it() -> None:
    high, normal, low = map(_priorities, ("high", "normal", "low"))
    assert high[0] == 0
    assert high < normal < low
    assert all(first <= then for first, then in (high, normal, low))
    assert all(0 <= priority <= 9 for priority in (*high, *normal, *low))


def test_a_message_says_whose_it_is_in_a_priority_that_the_broker_knows() -> None:
    job = Job(id="j1", kind="batch", collection="c", caller="key1", priority="low")
    (message,) = messages_for(BATCH, job, [("0:a", "ingest.document")])
    assert (message.caller, message.collection) == ("key1", "c")
    assert message.priority <= 9
    child = child_job_id("j1", "0:a.txt")
    assert (parent_of_job(child), parent_of_job("j1")) == ("j1", None)
    assert child != child_job_id("j1", "1:a.txt")


def test_a_question_is_its_callers_with_the_request_that_asked(desk: Desk) -> None:
    terms = Terms(caller="key1", priority="high", request_id="req-1")
    service = Service(services=desk, publisher=SentMessages())  # type: ignore[arg-type]
    record = service.questions.submit("Who?", "c", "k", {}, terms)
    job = record.job
    assert (job.caller, job.priority, job.request_id) == ("key1", "high", "req-1")
    assert job.id == job_id("key1", "k") != job_id("", "k")


def test_a_question_to_several_collections_is_repeated_though_an_embedder_changed(desk: Desk) -> None:
    service = Service(services=desk, publisher=SentMessages())  # type: ignore[arg-type]
    record = service.questions.submit("Who?", ["a", "b"], "k", {})
    desk.vectors.embedders["b"] = Embedder(name="other", dimension=3)
    assert service.questions.submit("Who?", ["a", "b"], "k", {}).job.id == record.job.id
    for key in ("new", None):
        with pytest.raises(EmbedderMismatch, match="one embedder"):
            service.questions.submit("Who?", ["a", "b"], key, {})


def test_a_webhook_is_looked_at_before_anything_is_made(desk: Desk) -> None:
    terms = Terms(webhook="https://127.0.0.1/")
    with pytest.raises(InvalidInput, match="webhook"):
        submit_job(desk, SentMessages(), "query", "c", {"question": "Who?"}, terms=terms)  # type: ignore[arg-type]
    assert not desk.ledger.records


def test_a_job_that_refuses_an_act_stops_no_other(desk: Desk) -> None:
    service = Service(services=desk, publisher=SentMessages())  # type: ignore[arg-type]
    records = [service.questions.submit(f"Who is {name}?", "c", None, {}) for name in "ab"]

    def refuse_first(record: JobRecord) -> str:
        if record is records[0]:
            raise Permanent("not now")
        return record.job.id

    fitting = FittingJobs(records=tuple(records), matched=len(records))
    acted = act_on(fitting, "cancel", refuse_first, dry_run=False)
    assert (acted.matched, acted.done, acted.jobs) == (2, 1, (records[1].job.id,))
    assert acted.refused == (RefusedJob(id=records[0].job.id, reason="not now"),)
    assert not any(fits("retry", record) for record in records)
