"""The trace of a job lies with it in the ledger, and is sent once at each of its ends."""

from __future__ import annotations

import pytest
from doubles.broker import Broker
from doubles.memory_redis import memory_redis, services_over
from doubles.traces import Collector, tracer_to
from structlog.testing import capture_logs

from workers.core.jobs.traces import TraceContext, trace_id_of
from workers.core.jobs.work import Item, Job, JobState, Phase
from workers.engine.outbox import work_off
from workers.engine.runner import Runner
from workers.engine.traces import item_trace, send_trace, trace_below
from workers.engine.watchdog import Watchdog
from workers.ledger.keys import ACTIVE, job_key
from workers.ledger.records import Begun, Claim, Parent
from workers.ledger.retry import retry_dead_letters
from workers.services import Services
from workers.telemetry.traces.leaf import Leaf, follow_item, leave_item

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CONTEXT = TraceContext(trace_id=TRACE, parent="00f067aa0ba902b7")


def made(collector: Collector | None, *, in_worker: bool = True) -> Services:
    """Return services whose process sends traces to a collector, or none."""
    services = services_over(memory_redis(), history_days=0)
    services.__dict__["tracer"] = tracer_to(collector) if collector else None
    services.in_worker = in_worker
    return services


def begun(
    services: Services, job_id: str = "j1", *, trace: str = str(CONTEXT), parent: Parent | None = None
) -> Begun:
    """Return what a worker gets that begins the only item of a new job."""
    job = Job(id=job_id, kind="document", collection="c", trace=trace)
    services.ledger.submit(job, Phase(items=(Item(id="i", step="ingest.load"),)), parent=parent)
    record = services.ledger.job(job_id)
    assert record is not None
    return services.ledger.begin(Claim(job_id=job_id, epoch=record.epoch, item_id="i", token="t"))


def end(services: Services, job_id: str = "j1") -> None:
    services.ledger.end(job_id, None, JobState.DONE, {})


def test_whoever_begins_an_item_and_whoever_looks_at_its_job_learns_of_the_trace() -> None:
    services = made(None)
    job = begun(services).job
    record = services.ledger.job("j1")
    assert job is not None
    assert record is not None
    assert job.trace == record.job.trace == services.ledger.trace_of("j1") == str(CONTEXT)
    assert TRACE not in (services.redis.hget("hop:{j1}:job", "spec") or "")


def test_the_same_job_asked_for_in_another_trace_is_the_same() -> None:
    services = made(None)
    begun(services)
    job = Job(id="j1", kind="document", collection="c", trace=str(TraceContext(trace_id="1" * 32)))
    assert services.ledger.submit(job, Phase(items=(Item(id="i", step="ingest.load"),))) == 0
    assert services.ledger.trace_of("j1") == str(CONTEXT)


def test_an_ended_job_s_trace_is_sent_once_however_often_the_outbox_is_worked_off() -> None:
    collector = Collector()
    services = made(collector)
    begun(services)
    end(services)
    for _ in range(3):
        work_off(services, "j1")
    (spans,) = collector.jobs
    assert [span.name for span in spans] == ["job document", "phase ingest.load", "ingest.load"]
    assert spans[0].parent == CONTEXT.parent
    assert services.redis.zscore(ACTIVE, "j1") is None


def test_a_trace_is_not_sent_by_the_watchdog_too_while_the_worker_that_ended_the_job_sends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    collector = Collector()
    services = made(collector)
    begun(services)
    end(services)
    watchdog = Watchdog(Runner(services, Broker()).driver, 0.1)
    outbox = services.ledger.outbox

    def outbox_at_a_look(job_id: str) -> dict[str, str]:
        monkeypatch.setattr(services.ledger, "outbox", outbox)
        entries = outbox(job_id)
        watchdog.look_once()
        return entries

    monkeypatch.setattr(services.ledger, "outbox", outbox_at_a_look)
    work_off(services, "j1")
    watchdog.look_once()
    assert len(collector.jobs) == 1
    assert services.redis.zscore(ACTIVE, "j1") is None


def test_the_watchdog_sends_the_trace_of_a_job_whose_worker_died_at_its_end() -> None:
    collector = Collector()
    services = made(collector)
    begun(services)
    end(services)
    watchdog = Watchdog(Runner(services, Broker()).driver, 0.1)
    watchdog.look_once()
    watchdog.look_once()
    assert len(collector.jobs) == 1
    assert services.redis.zscore(ACTIVE, "j1") is None


def test_a_collector_that_is_away_keeps_no_job_from_ending() -> None:
    collector = Collector(takes=False)
    services = made(collector)
    for job_id in ("j1", "j2"):
        begun(services, job_id)
        end(services, job_id)
        work_off(services, job_id)
    assert len(collector.jobs) == 1, "the next is not tried so soon"
    assert services.redis.zcard(ACTIVE) == 0


def test_a_process_without_traces_leaves_them_to_workers_and_a_worker_drops_them() -> None:
    services = made(None, in_worker=False)
    begun(services)
    end(services)
    work_off(services, "j1")
    assert services.ledger.outbox("j1") == {"trace": str(CONTEXT)}
    services.in_worker = True
    work_off(services, "j1")
    assert services.ledger.outbox("j1") == {}


def test_a_trace_that_waits_for_workers_delays_no_retry() -> None:
    services = made(None, in_worker=False)
    begun(services)
    services.ledger.end("j1", None, JobState.CANCELLED, {})
    work_off(services, "j1")
    assert services.ledger.outbox("j1") == {"trace": str(CONTEXT)}
    assert retry_dead_letters(services.ledger, "j1") == 2
    assert services.ledger.outbox("j1") == {}


def test_a_job_of_pages_that_is_opened_again_has_no_trace_to_send() -> None:
    services = made(None, in_worker=False)
    begun(services)
    services.ledger.end("j1", None, JobState.CANCELLED, {})
    work_off(services, "j1")
    assert services.spool.reopen("j1", 1, 0, ("manifest", 1), [("ingest.load", 0)], []) == 2
    assert services.ledger.outbox("j1") == {}


def test_what_the_outbox_of_a_running_job_keeps_is_cancelled_only_where_it_says_so() -> None:
    services = made(None)
    begun(services)
    services.redis.hset(job_key("j1", "outbox"), mapping={"trace": "t", "newer": "1", "cancel:j2:1": "j2"})
    with capture_logs() as logs:
        Watchdog(Runner(services, Broker()).driver, 0.1).look_once()
    assert "job.not_attended" not in {line["event"] for line in logs}
    assert services.ledger.outbox("j1") == {"trace": "t", "newer": "1"}


def test_an_entry_of_a_newer_version_is_left_to_its_workers() -> None:
    services = made(None)
    begun(services)
    end(services)
    services.redis.hset(job_key("j1", "outbox"), "newer", "1")
    work_off(services, "j1")
    assert services.ledger.outbox("j1") == {"newer": "1"}
    assert services.redis.zscore(ACTIVE, "j1") is not None


def test_a_trace_that_is_not_sampled_is_remembered_and_not_sent() -> None:
    collector = Collector()
    services = made(collector)
    unsampled = str(CONTEXT.model_copy(update={"sampled": False}))
    job = begun(services, trace=unsampled).job
    assert job is not None
    assert job.trace == unsampled
    assert item_trace(services, job, Claim(job_id="j1", epoch=1, item_id="i", token="t"), 1) is None
    end(services)
    work_off(services, "j1")
    assert not collector.jobs


def test_a_child_s_trace_is_sent_before_the_child_is_forgotten() -> None:
    collector = Collector()
    services = made(collector)
    begun(services)
    begun(
        services,
        "j1.c",
        trace=str(TraceContext(trace_id="1" * 32)),
        parent=Parent(job_id="j1", epoch=1, item_id="i"),
    )
    end(services, "j1.c")
    work_off(services, "j1.c")
    assert services.ledger.job("j1.c") is None
    ((child, *_),) = collector.jobs
    assert child.trace_id == "1" * 32
    assert [link.span_id for link in child.links] == [CONTEXT.item_span("j1", 1, "i")]


def test_a_child_is_not_forgotten_before_somebody_has_sent_its_trace() -> None:
    services = made(None, in_worker=False)
    begun(services)
    begun(services, "j1.c", parent=Parent(job_id="j1", epoch=1, item_id="i"))
    end(services, "j1.c")
    work_off(services, "j1.c")
    assert services.ledger.outbox("j1.c") == {"trace": str(CONTEXT)}


def test_what_an_item_does_is_below_the_item_s_span_with_its_attempt() -> None:
    collector = Collector()
    services = made(collector)
    job = begun(services).job
    assert job is not None
    claim = Claim(job_id="j1", epoch=1, item_id="i", token="t")
    token = follow_item(item_trace(services, job, claim, 2))
    with Leaf("chat m", {"gen_ai.request.model": "m", "not.known": None}) as leaf:
        leaf.note({"gen_ai.usage.input_tokens": 3})
    leave_item(token)
    with Leaf("chat m", {}):
        pass  # of no item
    (span,) = collector.emitted
    assert span.parent == CONTEXT.item_span("j1", 1, "i")
    assert span.attributes == {
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": 3,
        "hopline.attempt": 2,
    }
    end(services)
    work_off(services, "j1")
    assert span.parent in {each.span_id for each in collector.jobs[0]}


def test_a_job_that_another_asks_for_at_its_end_is_below_it() -> None:
    services = made(Collector())
    begun(services)
    record = services.ledger.job("j1")
    assert record is not None
    assert trace_below(record) == f"00-{TRACE}-{CONTEXT.job_span('j1', 1)}-01"


def test_whatever_cannot_be_told_of_a_job_keeps_it_from_nothing() -> None:
    collector = Collector()
    services = made(collector)
    begun(services)
    record = services.ledger.job("j1")
    assert record is not None
    services.redis.xadd("hop:{j1}:events", {"name": "item.begun", "data": "[]"})
    assert send_trace(services, record)


def test_a_job_s_trace_is_decided_when_it_is_submitted() -> None:
    tracer = tracer_to(Collector())
    caller = str(CONTEXT)
    assert tracer.opened(caller) == caller
    root = TraceContext.read(tracer.opened(""))
    assert root is not None
    assert (root.parent, root.sampled) == ("", True)
    left_out = tracer_to(Collector(samples=False))
    assert left_out.opened("") == ""
    assert left_out.opened(caller) == caller.removesuffix("01") + "00"


@pytest.mark.parametrize("samples", [True, False])
def test_the_job_of_an_item_is_sampled_where_the_item_s_is_whatever_its_own_id(*, samples: bool) -> None:
    tracer = tracer_to(Collector(samples=samples))
    child = TraceContext.read(tracer.opened_child("j1.c", str(CONTEXT)))
    assert child is not None
    assert (child.trace_id, child.sampled) == (trace_id_of("j1.c"), True)
    for above in ("", str(CONTEXT.model_copy(update={"sampled": False}))):
        assert tracer.opened_child("j1.c", above) == ""
