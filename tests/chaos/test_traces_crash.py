"""A job is one trace with one root and no orphan, through kills, failures and a retry."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from random import Random

import pytest
from fleet.checks import assert_nothing_left, events_of
from fleet.collector import Arrived, OtlpCollector, otlp_collector
from fleet.crew import Crew, wait_until
from fleet.tree import Tree

from producer.client.traces import in_trace
from workers.core.jobs.traces import TraceContext
from workers.core.jobs.work import JobState

SLOW = {"latency": 0.3}
HELD = {"hold": True}  # what asks is killed before it has the answer
KILLS = 5


@pytest.fixture(scope="module")
def collector(crew: Crew, tree: Tree) -> Iterator[OtlpCollector]:  # noqa: ARG001 - it is ingested before
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


def submit(crew: Crew, tree: Tree, by: TraceContext) -> str:
    with in_trace(str(by)):
        return tree.submit(crew)


def assert_whole(collector: OtlpCollector, by: TraceContext) -> None:
    """Check that a trace has one root, which its caller asked for, and that each parent is there."""

    def whole() -> bool:
        roots = collector.roots(by.trace_id, by.parent)
        return bool(roots) and not collector.orphans(by.trace_id, by.parent)

    wait_until(whole, f"a whole trace: {[span.name for span in collector.orphans(by.trace_id, by.parent)]}")
    assert [span.name for span in collector.roots(by.trace_id, by.parent)] == ["job query"]


def test_a_question_stays_one_trace_when_its_worker_is_killed_and_its_items_fail(
    crew: Crew, tree: Tree, collector: OtlpCollector
) -> None:
    crew.have(a="interactive")
    by = caller()
    failing = {**SLOW, "fail_next": ["500"] * 3}  # as often as one attempt tries it
    crew.model.set(chat=failing, schemas={"NodeNotes": HELD})
    job_id = submit(crew, tree, by)
    wait_until(lambda: is_walking(crew, job_id), "the walk has begun")
    crew.workers["a"].kill()
    crew.model.set(chat=SLOW)
    crew.start("a")
    crew.client.wait(job_id, 180)
    assert crew.client.job(job_id).leases_lost >= 1
    assert_whole(collector, by)
    events = {event for span in collector.of(by.trace_id) for event in span.events}
    assert {"lease.lost", "attempt.failed"} <= events
    assert any(span.name == "wait" for span in collector.of(by.trace_id))
    assert_nothing_left(crew)


def test_every_job_is_a_whole_trace_under_kills(crew: Crew, tree: Tree, collector: OtlpCollector) -> None:
    crew.have(a="interactive", b="interactive")
    crew.model.set(chat={"latency": 0.3, "fail": {"500": 0.1}}, seed=7)
    job_ids: dict[TraceContext, str] = {}
    dice = Random(7)
    for _ in range(KILLS):
        job_ids |= {by: submit(crew, tree, by) for by in (caller(), caller())}
        job_id = next(reversed(job_ids.values()))
        wait_until(
            lambda job_id=job_id: is_walking(crew, job_id) or ended(crew, job_id), "the walk has begun"
        )
        name = dice.choice(("a", "b"))
        crew.workers[name].kill()
        crew.start(name, wait=False)
    for by, job_id in job_ids.items():
        crew.client.wait(job_id, 180)
        assert_whole(collector, by)
    assert sum(crew.client.job(job_id).leases_lost for job_id in job_ids.values()) > 0
    assert_nothing_left(crew)


def test_a_retried_question_is_below_the_one_before(crew: Crew, tree: Tree, collector: OtlpCollector) -> None:
    crew.have(a="interactive")
    crew.model.set(chat=SLOW)
    by = caller()
    first = submit(crew, tree, by)
    crew.client.cancel(first)
    crew.model.set()
    second = crew.client.retry(first).job.id
    wait_until(lambda: ended(crew, second), "the second has ended")
    wait_until(lambda: len(jobs(collector, by)) == 2, "both jobs' spans")
    assert_whole(collector, by)
    (root,) = collector.roots(by.trace_id, by.parent)
    assert root.attributes["hopline.job.id"] == first
    assert {span.parent for span in jobs(collector, by)} == {by.parent, root.span_id}


def is_walking(crew: Crew, job_id: str) -> bool:
    """Tell whether a visit is under way."""
    steps = [(name, data.get("step")) for name, data in events_of(crew, job_id)]
    visits = [name for name, step in steps if step == "traverse.visit"]
    return visits.count("item.begun") > visits.count("item.done")


def ended(crew: Crew, job_id: str) -> bool:
    return crew.client.job(job_id).state is not JobState.RUNNING


def jobs(collector: OtlpCollector, by: TraceContext) -> list[Arrived]:
    return [span for span in collector.of(by.trace_id) if span.name == "job query"]
