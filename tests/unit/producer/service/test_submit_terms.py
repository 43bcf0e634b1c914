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
from workers.ledger.keys import RECENT, recent_key
from workers.ledger.records import JobRecord, Wanted

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


def test_the_last_of_a_batch_still_has_a_priority_that_the_broker_knows() -> None:
    job = Job(id="j1", kind="batch", collection="c", priority="low")
    assert messages_for(BATCH, job, [("0:a", "ingest.document")])[0].priority <= 9


def test_a_message_says_whose_it_is() -> None:
    job = Job(id="j1", kind="batch", collection="c", caller="key1")
    (message,) = messages_for(BATCH, job, [("0:a", "ingest.document")])
    assert (message.caller, message.collection) == ("key1", "c")


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
    with pytest.raises(InvalidInput, match="webhook"):
        submit_job(
            desk,  # type: ignore[arg-type]
            SentMessages(),
            "query",
            "c",
            {"question": "Who?"},
            terms=Terms(webhook="https://127.0.0.1/"),
        )
    assert not desk.ledger.records


def test_a_childs_id_names_its_parent() -> None:
    child = child_job_id("j1", "0:a.txt")
    assert parent_of_job(child) == "j1"
    assert child != child_job_id("j1", "1:a.txt")
    assert parent_of_job("j1") is None


def test_lists_of_jobs_are_kept_for_each_key_and_for_all() -> None:
    assert recent_key("") == RECENT
    assert recent_key("key1") != recent_key("key2")


def test_only_jobs_that_are_wanted_are_listed(desk: Desk) -> None:
    service = Service(services=desk, publisher=SentMessages())  # type: ignore[arg-type]
    record = service.questions.submit("Who?", "c", None, {})
    assert Wanted().fits(record)
    assert Wanted(state=record.state, kind="query", collections=frozenset({"c"})).fits(record)
    assert not Wanted(kind="batch").fits(record)
    assert not Wanted(collections=frozenset({"d"})).fits(record)


def test_a_job_that_refuses_an_act_stops_no_other(desk: Desk) -> None:
    service = Service(services=desk, publisher=SentMessages())  # type: ignore[arg-type]
    records = [service.questions.submit(f"Who is {name}?", "c", None, {}) for name in "ab"]

    def refuse_first(record: JobRecord) -> str:
        if record is records[0]:
            raise Permanent("not now")
        return record.job.id

    acted = act_on(
        FittingJobs(records=tuple(records), matched=len(records)), "cancel", refuse_first, dry_run=False
    )
    assert (acted.matched, acted.done, acted.jobs) == (2, 1, (records[1].job.id,))
    assert acted.refused == (RefusedJob(id=records[0].job.id, reason="not now"),)
    assert not any(fits("retry", record) for record in records)
