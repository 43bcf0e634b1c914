"""One trace for a question and one for each document, over real HTTP, workers and a collector."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet.api import ServedApi, served_api
from fleet.collector import OtlpCollector, otlp_collector
from fleet.crew import Crew, private_crew, wait_until
from fleet.worlds import BRIDGE_QUESTION, write_bridge

from hopline import Hopline
from hopline.traces import TraceContext, in_trace
from workers.services import Services

# So that no step is begun twice, and no end is told twice.
PATIENT = {"HOPLINE_LEASE_SECONDS": "300", "HOPLINE_RESEND_SECONDS": "120", "HOPLINE_WATCHDOG_SECONDS": "5"}


@pytest.fixture
def collector() -> Iterator[OtlpCollector]:
    with otlp_collector() as collector:
        yield collector


@pytest.fixture
def crew(stack_env: dict[str, str], collector: OtlpCollector, tmp_path: Path) -> Iterator[Crew]:
    """Workers that send their spans to the collector, and do nothing that tests before have left."""
    with private_crew(stack_env, tmp_path, **PATIENT) as crew:
        crew.environment |= collector.environment
        crew.have(bulk="bulk", interactive="interactive")
        yield crew


@pytest.fixture
def api(crew: Crew) -> Iterator[ServedApi]:
    services = Services(crew.settings)
    services.graph.migrate()
    with served_api(services) as served:
        yield served
    services.close()


def caller() -> TraceContext:
    return TraceContext(trace_id=secrets.token_hex(16), parent=secrets.token_hex(8))


def test_a_question_and_a_batch_of_documents_are_whole_traces(api, collector, collection, tmp_path):
    ingesting, asking = caller(), caller()
    folder = write_bridge(tmp_path / "bridge")
    documents = len(list(folder.iterdir()))
    with Hopline(api.url) as client:
        with in_trace(str(ingesting)):
            report = client.ingest([folder], collection)
        with in_trace(str(asking)):
            answer = client.ask(BRIDGE_QUESTION, collection=collection, strategy="graph")
        untraced = client.ask(BRIDGE_QUESTION, collection=collection, strategy="graph", max_seeds=1)
    assert not report.failed
    assert untraced.job_id != answer.job_id
    _assert_whole(collector, asking, "job query")
    _assert_whole(collector, ingesting, "job batch")
    _assert_question(collector, asking, answer.job_id)
    _assert_documents(collector, ingesting, documents)
    assert {span.service for span in collector.spans} == {"hopline"}


def _assert_whole(collector: OtlpCollector, by: TraceContext, name: str) -> None:
    """Check that a trace has one root, which its caller asked for, and no orphan; each job's spans once."""

    def whole() -> bool:
        roots = collector.roots(by.trace_id, by.parent)
        return bool(roots) and not collector.orphans(by.trace_id, by.parent)

    wait_until(whole, f"the trace of {name}: {collector.spans}")
    assert [span.name for span in collector.roots(by.trace_id, by.parent)] == [name]
    assert not collector.twice(by.trace_id)


def _assert_question(collector: OtlpCollector, by: TraceContext, job_id: str) -> None:
    names = {span.name for span in collector.of(by.trace_id)}
    assert {"traverse.plan", "traverse.seed", "traverse.visit", "critic.score_fact"} <= names, names
    assert any(name.startswith("chat ") for name in names), names
    assert any(name.startswith("embeddings ") for name in names), names
    assert any(name.startswith("vectors ") for name in names), names
    chats = [span for span in collector.of(by.trace_id) if span.name.startswith("chat ")]
    assert all(span.attributes["gen_ai.usage.input_tokens"] > 0 for span in chats)
    assert all(span.attributes["hopline.attempt"] == 1 for span in chats)
    (root,) = collector.roots(by.trace_id, by.parent)
    assert root.attributes["hopline.job.id"] == job_id
    assert BRIDGE_QUESTION not in str(collector.spans)


def _assert_documents(collector: OtlpCollector, by: TraceContext, documents: int) -> None:
    """Check that each document has a trace of its own, linked with its item of the batch."""
    batch = {span.span_id: span for span in collector.of(by.trace_id)}
    jobs = [span for span in collector.spans if span.name == "job document"]
    wait_until(lambda: all(not collector.orphans(job.trace_id) for job in jobs), "whole documents")
    assert len(jobs) == len({job.trace_id for job in jobs}) == documents
    for job in jobs:
        assert [root.name for root in collector.roots(job.trace_id)] == ["job document"]
        ((trace_id, item),) = job.links
        assert trace_id == by.trace_id
        assert batch[item].links == ((job.trace_id, job.span_id),)
