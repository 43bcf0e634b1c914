"""The spans of a job that has ended: one root, and a parent for each of the others."""

from typing import Any

from hopline.events.jobs import (
    ItemBegun,
    ItemDead,
    ItemDeferred,
    ItemDone,
    ItemFailed,
    JobEnded,
    JobRetried,
    JobSubmitted,
    LeaseLost,
    PhaseOpened,
)
from hopline.models.events import EventData
from hopline.models.jobs import Budget, JobState, Parent, Usage
from hopline.traces import TraceContext
from workers.core.ids import child_job_id
from workers.core.jobs.records import JobRecord
from workers.core.jobs.traces import trace_id_of
from workers.core.jobs.work import Event, Job
from workers.telemetry.traces.job_spans import job_spans
from workers.telemetry.traces.span import Span, SpanLink

START = 1_790_000_000_000  # milliseconds since 1970
MILLI = 1_000_000
CALLER = TraceContext(trace_id="4bf92f3577b34da6a3ce929d0e0e4736", parent="00f067aa0ba902b7")


def entries(*events: tuple[int, EventData]) -> list[tuple[str, Event]]:
    """Return events with their ids, each with its milliseconds since the start."""
    return [(f"{START + at}-{n}", Event.of(data)) for n, (at, data) in enumerate(events)]


def ended(state: JobState = JobState.DONE, **more: Any) -> JobRecord:
    job = Job(id="j1", kind="query", collection="c", params={"question": "Who is ill?", "strategy": "graph"})
    fields: dict[str, Any] = {
        "job": job, "state": state, "phase": 1, "epoch": 1, "created": START / 1000,
        "ended": START / 1000 + 1, "items": {}, "done": {}, "timings": {}, "budget": Budget(),
        "usage": Usage(model_calls=2, prompt_tokens=30, completion_tokens=4, cost=0.5),
        "leases_lost": 0, "dead": 0, "dropped": 0, "closed_for": None, "outcome": {},
    }  # fmt: skip
    return JobRecord(**(fields | more))


PEACE = entries(
    (0, JobSubmitted()),
    (100, ItemBegun(item="plan", step="traverse.plan")),
    (200, ItemDone(item="plan", step="traverse.plan", ms=100)),
    (210, PhaseOpened(phase=1, items=1, step="critic.score_fact")),
    (300, ItemBegun(item="fact", step="critic.score_fact")),
    (400, ItemFailed(item="fact", step="critic.score_fact", attempt=1, error="Transient: said 'Ann is ill'")),
    (600, ItemBegun(item="fact", step="critic.score_fact")),
    (650, LeaseLost(item="fact", step="critic.score_fact", times=1)),
    (650, ItemBegun(item="fact", step="critic.score_fact")),
    (700, ItemDeferred(item="fact", step="critic.score_fact", why="DependencyAway: the model is away")),
    (900, ItemBegun(item="fact", step="critic.score_fact")),
    (990, ItemDone(item="fact", step="critic.score_fact", ms=90)),
    (1000, JobEnded(state=JobState.DONE)),
)


def named(spans: list[Span]) -> dict[str, Span]:
    return {span.name: span for span in spans}


def test_a_job_its_phases_its_items_and_what_they_waited_for_hang_together() -> None:
    spans = job_spans(ended(), CALLER, PEACE)
    spans_by_name = named(spans)
    assert {span.trace_id for span in spans} == {CALLER.trace_id}
    ids = {span.span_id for span in spans}
    assert len(ids) == len(spans)
    assert [span.parent for span in spans if span.parent not in ids] == [CALLER.parent]
    job, item = spans_by_name["job query"], spans_by_name["critic.score_fact"]
    assert (job.began, job.ended) == (START * MILLI, (START + 1000) * MILLI)
    assert job.span_id == CALLER.job_span("j1", 1)
    assert job.attributes["gen_ai.usage.input_tokens"] == 30
    assert job.attributes["hopline.cost"] == 0.5
    assert spans_by_name["phase critic.score_fact"].parent == job.span_id
    assert item.parent == spans_by_name["phase critic.score_fact"].span_id
    assert item.span_id == CALLER.item_span("j1", 1, "fact")
    assert (item.began, item.ended) == ((START + 300) * MILLI, (START + 990) * MILLI)
    assert item.attributes["hopline.attempts"] == 4
    assert item.attributes["hopline.waited"] == 0.09
    expected = ["attempt.failed", "lease.lost", "attempt.deferred"]
    assert [event.name for event in item.events if event.name != "attempt.begun"] == expected
    waits = [span for span in spans if span.name == "wait"]
    expected = [("failed", 200 * MILLI), ("deferred", 200 * MILLI)]
    assert [(span.attributes["hopline.wait.after"], span.ended - span.began) for span in waits] == expected
    assert {span.parent for span in waits} == {item.span_id}


def test_what_people_wrote_is_left_out_unless_it_is_wanted() -> None:
    plain, whole = str(job_spans(ended(), CALLER, PEACE)), str(job_spans(ended(), CALLER, PEACE, texts=True))
    for text in ("Who is ill?", "Ann is ill"):
        assert text not in plain
        assert text in whole
    assert "Transient" in plain


def test_a_job_that_nobody_s_span_asked_for_is_the_root_and_one_whose_first_events_are_gone_says_so() -> None:
    spans = job_spans(ended(), TraceContext(trace_id=CALLER.trace_id), PEACE)
    assert [span.name for span in spans if not span.parent] == ["job query"]
    assert job_spans(ended(), CALLER, PEACE[3:])[0].attributes["hopline.timeline.cut"] is True


def test_what_was_given_up_and_what_was_running_at_the_end_have_spans() -> None:
    timeline = entries(
        (0, JobSubmitted()),
        (10, ItemBegun(item="a", step="traverse.visit")),
        (20, ItemDead(item="a", step="traverse.visit", error="Permanent: no")),
        (30, ItemBegun(item="b", step="traverse.visit")),
        (35, ItemFailed(item="b", step="traverse.visit", attempt=1, error="timeout: 3 s")),
        (36, ItemBegun(item="b", step="traverse.visit")),
        (40, JobEnded(state=JobState.FAILED)),
    )
    spans = job_spans(ended(JobState.FAILED, ended=START / 1000 + 0.04), CALLER, timeline)
    dead, cut = (span for span in spans if span.name == "traverse.visit")
    assert (dead.failed, cut.failed, spans[0].failed) == (True, False, True)
    kinds = [event.attributes.get("error.type") for span in (dead, cut) for event in span.events]
    assert list(filter(None, kinds)) == ["Permanent"], "the first word of a message is no type"
    assert cut.ended == (START + 40) * MILLI


def test_a_retried_job_is_a_span_below_the_one_before_with_its_own_items_alone() -> None:
    timeline = [
        *PEACE,
        *entries(
            (5000, JobRetried()),
            (5100, ItemBegun(item="fact", step="critic.score_fact")),
            (5200, ItemDone(item="fact", step="critic.score_fact", ms=100)),
            (5300, JobEnded(state=JobState.DONE)),
        ),
    ]
    spans = job_spans(ended(epoch=2, ended=START / 1000 + 5.3), CALLER, timeline)
    assert [span.name for span in spans] == ["job query", "phase critic.score_fact", "critic.score_fact"]
    assert spans[0].parent == CALLER.job_span("j1", 1)
    assert spans[0].began == (START + 5000) * MILLI
    assert spans[2].span_id == CALLER.item_span("j1", 2, "fact") != CALLER.item_span("j1", 1, "fact")
    assert "hopline.timeline.cut" not in spans[0].attributes


def test_a_document_and_its_batch_are_linked_and_not_nested() -> None:
    timeline = entries(
        (0, JobSubmitted()),
        (10, ItemBegun(item="doc", step="ingest.document")),
        (90, ItemDone(item="doc", step="ingest.document")),
        (100, JobEnded(state=JobState.DONE)),
    )
    child = child_job_id("j1", "doc")
    own = TraceContext(trace_id=trace_id_of(child))
    batch = job_spans(ended(), CALLER, timeline)
    assert batch[-1].links == (SpanLink(trace_id=own.trace_id, span_id=own.job_span(child, 1)),)
    record = ended(
        job=Job(id=child, kind="document", collection="c"),
        parent=Parent(job_id="j1", epoch=1, item_id="doc"),
        epoch=17,
        first_epoch=17,
    )
    document = job_spans(record, own, timeline[:1], parent_trace=str(CALLER))
    assert document[0].span_id == batch[-1].links[0].span_id
    assert document[0].links == (SpanLink(trace_id=CALLER.trace_id, span_id=batch[-1].span_id),)
    assert not document[0].parent


def test_the_id_of_a_document_s_item_tells_no_address_unless_texts_are_shown() -> None:
    item = "7:ill/ann.txt"
    timeline = entries(
        (10, ItemBegun(item=item, step="ingest.document")),
        (90, ItemDone(item=item, step="ingest.document")),
        (91, ItemBegun(item="visit:k1", step="traverse.visit")),
        (95, ItemDone(item="visit:k1", step="traverse.visit", ms=4)),
    )

    def ids(*, texts: bool) -> set[object]:
        spans = job_spans(ended(), CALLER, timeline, texts=texts)
        return {span.attributes["hopline.item.id"] for span in spans if "hopline.item.id" in span.attributes}

    assert ids(texts=False) == {"7", "visit:k1"}
    assert ids(texts=True) == {item, "visit:k1"}
    child = child_job_id("j1", item)
    link = named(job_spans(ended(), CALLER, timeline))["ingest.document"].links[0]
    assert link.span_id == TraceContext(trace_id=trace_id_of(child)).job_span(child, 1)
