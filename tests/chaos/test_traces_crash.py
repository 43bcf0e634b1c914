"""A job is one trace with one root and no orphan, through kills, failures and a retry."""

import secrets
from collections.abc import Iterator
from itertools import cycle, islice

import pytest
from fleet.asked import Asked
from fleet.checks import assert_done_as, assert_nothing_left
from fleet.collector import Arrived, OtlpCollector, otlp_collector
from fleet.crew import Crew, wait_until

from hopline.traces import TraceContext, in_trace

ROUNDS, AT_ONCE = 5, 5  # kills, and questions before each
HELD = {"NodeNotes": {"hold": True}}  # what asks is killed before it has the answer


@pytest.fixture(scope="module")
def collector(crew: Crew, tree: Asked) -> Iterator[OtlpCollector]:  # noqa: ARG001 - it is ingested before
    """A collector that all workers know which are started meanwhile; none runs that does not."""
    own = dict(crew.environment)
    with otlp_collector() as collector:
        crew.environment |= collector.environment
        crew.have()
        yield collector
        crew.environment.clear()
        crew.environment |= own
        crew.have()


def caller() -> TraceContext:
    return TraceContext(trace_id=secrets.token_hex(16), parent=secrets.token_hex(8))


def submit(crew: Crew, tree: Asked, by: TraceContext) -> str:
    with in_trace(str(by)):
        return tree.submit(crew)


def assert_whole(collector: OtlpCollector, by: TraceContext) -> None:
    """Check that a trace has one root, which its caller asked for, and that each parent is there."""
    wait_until(lambda: collector.is_whole(by.trace_id, by.parent), "a whole trace")
    assert [span.name for span in collector.roots(by.trace_id, by.parent)] == ["job query"]


def test_a_question_stays_one_trace_when_its_worker_is_killed_and_its_items_fail(crew, tree, collector):
    crew.have(a="interactive")
    by = caller()
    # As often as one attempt tries it, the last time in the plainest form.
    crew.model.set(chat={"fail_next": ["500"] * 4}, schemas=HELD)
    job_id = submit(crew, tree, by)
    wait_until(lambda: crew.model.asked("NodeNotes"), "the walk has begun")
    crew.kill("a")
    crew.model.set()
    crew.start("a")
    crew.answer(job_id)
    assert crew.client.jobs.get(job_id).leases_lost >= 1
    assert_whole(collector, by)
    events = {event for span in collector.of(by.trace_id) for event in span.events}
    assert {"lease.lost", "attempt.failed"} <= events
    assert any(span.name == "wait" for span in collector.of(by.trace_id))
    assert_nothing_left(crew)


def test_many_questions_are_whole_traces_while_one_worker_after_another_is_killed(crew, tree, collector):
    crew.have(a="interactive", b="interactive", c="interactive", quarantine="quarantine")
    crew.model.set(chat={"fail": {"500": 0.1}}, seed=7)
    jobs: dict[str, TraceContext] = {}

    for name in islice(cycle("abc"), ROUNDS):
        crew.model.change(schemas={"FactScore": {"hold": True}})
        asked = crew.model.asked("FactScore")
        for _ in range(AT_ONCE):
            by = caller()
            jobs[submit(crew, tree, by)] = by
        wait_until(lambda asked=asked: crew.model.asked("FactScore") >= asked + 2 * AT_ONCE, "facts wait")
        crew.restart(name, wait=False)
        crew.model.change(schemas={"FactScore": {"hold": False}})
    for job_id, by in jobs.items():
        assert_done_as(crew, job_id, tree.answer)
        assert_whole(collector, by)
    assert sum(record.leases_lost for record in crew.ledger.jobs_by_id(list(jobs))) >= ROUNDS
    assert_nothing_left(crew)


def test_a_retried_question_is_below_the_first(crew: Crew, tree: Asked, collector: OtlpCollector) -> None:
    crew.have(a="interactive")
    crew.model.set(chat={"hold": True})
    by = caller()
    first = submit(crew, tree, by)
    crew.client.jobs.cancel(first)
    crew.model.set()
    second = crew.client.jobs.retry(first).id
    wait_until(lambda: crew.client.jobs.get(second).state.is_terminal, "the second has ended")

    def jobs() -> list[Arrived]:
        return [span for span in collector.of(by.trace_id) if span.name == "job query"]

    wait_until(lambda: len(jobs()) == 2, "both jobs' spans")
    assert_whole(collector, by)
    (root,) = collector.roots(by.trace_id, by.parent)
    assert root.attributes["hopline.job.id"] == first
    assert {span.parent for span in jobs()} == {by.parent, root.span_id}
