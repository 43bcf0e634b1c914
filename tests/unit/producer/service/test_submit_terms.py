"""What a job takes over from who submits it, and how long a collection is known to have documents."""

import pytest
from doubles.desk import Desk, SentMessages

from hopline.errors import DependencyAway, InvalidInput, NoDocuments, Permanent
from hopline.models.jobs import Priority, RefusedJob
from producer.service import questions as module
from producer.service.job_acts.acts import FittingJobs, act_on, fits
from producer.service.questions import Questions
from producer.service.service import Service
from workers.core.ids import child_job_id, job_id, parent_of_job
from workers.core.jobs.records import JobRecord
from workers.core.jobs.work import Job, Terms
from workers.engine.submit import messages_for, submit_job
from workers.ingest.batch import BATCH
from workers.traverse.graph.flow import QUERY

STEPS = [("synthesize", "critic.synthesize"), ("visit:k1", "traverse.visit")]


def _priorities(priority: Priority) -> list[int]:
    job = Job(id="j1", kind="query", collection="c", priority=priority)
    return [message.priority for message in messages_for(QUERY, job, STEPS)]


def test_messages_come_by_urgency_and_what_ends_a_job_first_and_say_whose_they_are() -> None:
    high, normal, low = map(_priorities, ("high", "normal", "low"))
    assert high[0] == 0
    assert high < normal < low
    assert all(first <= then for first, then in (high, normal, low))
    assert all(0 <= priority <= 9 for priority in (*high, *normal, *low))
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
    record = service.submit("query", "c", {"question": "Who?"}, key="k", terms=terms)
    job = record.job
    assert (job.caller, job.priority, job.request_id) == ("key1", "high", "req-1")
    assert job.id == job_id("key1", "k") != job_id("", "k")


def test_a_webhook_is_looked_at_before_anything_is_made(desk: Desk) -> None:
    terms = Terms(webhook="https://127.0.0.1/")
    with pytest.raises(InvalidInput, match="webhook"):
        submit_job(desk, SentMessages(), "query", "c", {"question": "Who?"}, terms=terms)  # type: ignore[arg-type]
    assert not desk.ledger.records


def test_a_job_that_refuses_an_act_stops_no_other(desk: Desk) -> None:
    service = Service(services=desk, publisher=SentMessages())  # type: ignore[arg-type]
    records = [service.submit("query", "c", {"question": f"Who is {name}?"}) for name in "ab"]

    def refuse_first(record: JobRecord) -> str:
        if record is records[0]:
            raise Permanent("not now")
        return record.job.id

    fitting = FittingJobs(records=tuple(records), matched=len(records))
    acted = act_on(fitting, "cancel", refuse_first, dry_run=False)
    assert (acted.matched, acted.done, acted.jobs) == (2, 1, (records[1].job.id,))
    assert acted.refused == (RefusedJob(id=records[0].job.id, reason="not now"),)
    assert not any(fits("retry", record) for record in records)


class Asked(Desk):
    """Counts what the graph was asked."""

    count = 0
    away = False

    def has(self, collection: str) -> bool:
        self.count += 1
        if self.away:
            raise DependencyAway("Neo4j is away")
        return collection not in self.graph.missing


@pytest.fixture
def counting_desk(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Asked:
    made = Asked(settings=desk.settings)
    monkeypatch.setattr(made.graph, "has_documents", made.has)
    return made


@pytest.fixture
def questions(counting_desk: Asked) -> Questions:
    return Service(services=counting_desk).questions  # type: ignore[arg-type]


def test_documents_are_known_for_a_second(questions, counting_desk, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    for passed, asked in ((0.0, 1), (0.9, 1), (0.2, 2)):
        now[0] += passed
        questions.require_documents("bridges", "graph")
        assert counting_desk.count == asked
    questions.require_documents("notes", "graph")
    assert counting_desk.count == 3


def test_that_there_are_none_is_never_remembered_nor_said_by_a_graph_that_is_away(questions, counting_desk):
    with pytest.raises(NoDocuments):
        questions.require_documents("nope", "graph")
    counting_desk.graph.missing.clear()
    questions.require_documents("nope", "graph")
    assert counting_desk.count == 2
    counting_desk.away = True
    questions.require_documents("bridges", "graph")
    questions.require_documents("bridges", "graph")
    assert counting_desk.count == 4
