"""The trace of a job lies with it in the ledger, and is sent once at each of its ends."""

from functools import cached_property

from doubles.broker import Broker
from doubles.memory_redis import memory_redis, services_over
from doubles.traces import Collector, tracer_to
from structlog.testing import capture_logs

from hopline.models.jobs import JobState, Parent
from hopline.traces import TraceContext
from workers.core.jobs.records import Begun, Claim, JobRecord
from workers.core.jobs.traces import trace_id_of
from workers.core.jobs.work import Item, Job, Phase
from workers.core.redis_keys import ACTIVE, job_key
from workers.engine.outbox import work_off
from workers.engine.runner import Runner
from workers.engine.traces import item_trace, send_trace, trace_below
from workers.engine.watchdog import Watchdog
from workers.ledger.retry import retry_dead_letters
from workers.services import Services
from workers.telemetry.traces.leaf import Leaf, follow_item, leave_item

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CONTEXT = TraceContext(trace_id=TRACE, parent="00f067aa0ba902b7")
PHASE = Phase(items=(Item(id="i", step="ingest.load"),))
CLAIM = Claim(job_id="j1", epoch=1, item_id="i", token="t")


class Play:
    """Services whose process sends traces to a collector, or none; a job of one item is begun."""

    def __init__(self, collector=None, *, in_worker=True, trace=CONTEXT):
        self.services: Services = services_over(memory_redis(), history_days=0)
        self.services.__dict__["tracer"] = tracer_to(collector) if collector else None
        self.services.in_worker = in_worker
        self.ledger = self.services.ledger
        self.begun = self.begin("j1", trace=trace)

    def begin(self, name: str, *, trace: TraceContext = CONTEXT, parent: Parent | None = None) -> Begun:
        """Return what a worker gets that begins the only item of a new job."""
        job = Job(id=name, kind="document", collection="c", trace=str(trace))
        self.ledger.submit(job, PHASE, parent=parent)
        return self.ledger.begin(CLAIM.model_copy(update={"job_id": name, "epoch": self.record(name).epoch}))

    def record(self, name: str = "j1") -> JobRecord:
        record = self.ledger.job(name)
        assert record is not None
        return record

    def end(self, name: str = "j1", state: JobState = JobState.DONE) -> None:
        self.ledger.end(name, None, state, {})
        work_off(self.services, name)

    @cached_property
    def watchdog(self) -> Watchdog:
        return Watchdog(Runner(self.services, Broker()).driver, 0.1)

    def is_active(self) -> bool:
        return self.services.redis.zscore(ACTIVE, "j1") is not None


def test_whoever_begins_an_item_and_whoever_looks_at_its_job_learns_of_the_trace() -> None:
    play = Play()
    assert play.begun.job is not None
    assert play.begun.job.trace == play.record().job.trace == play.ledger.trace_of("j1") == str(CONTEXT)
    assert TRACE not in (play.services.redis.hget("hop:{j1}:job", "spec") or "")
    again = Job(id="j1", kind="document", collection="c", trace=str(TraceContext(trace_id="1" * 32)))
    assert play.ledger.submit(again, PHASE) == 0, "the same job asked for in another trace is the same"
    assert play.ledger.trace_of("j1") == str(CONTEXT)


def test_an_ended_job_s_trace_is_sent_once_however_often_the_outbox_is_worked_off() -> None:
    play = Play(collector := Collector())
    for _ in range(3):
        play.end()
    (spans,) = collector.jobs
    assert [span.name for span in spans] == ["job document", "phase ingest.load", "ingest.load"]
    assert spans[0].parent == CONTEXT.parent
    assert not play.is_active()


def test_a_trace_is_not_sent_by_the_watchdog_too_while_the_worker_that_ended_the_job_sends_it(monkeypatch):
    play = Play(collector := Collector())
    outbox = play.ledger.outbox

    def outbox_at_a_look(job_id: str) -> dict[str, str]:
        monkeypatch.setattr(play.ledger, "outbox", outbox)
        entries = outbox(job_id)
        play.watchdog.look_once()
        return entries

    monkeypatch.setattr(play.ledger, "outbox", outbox_at_a_look)
    play.end()
    play.watchdog.look_once()
    assert len(collector.jobs) == 1
    assert not play.is_active()


def test_the_watchdog_sends_the_trace_of_a_job_whose_worker_died_at_its_end() -> None:
    play = Play(collector := Collector())
    play.ledger.end("j1", None, JobState.DONE, {})
    play.watchdog.look_once()
    play.watchdog.look_once()
    assert len(collector.jobs) == 1
    assert not play.is_active()


def test_a_collector_that_is_away_keeps_no_job_from_ending() -> None:
    play = Play(collector := Collector(takes=False))
    play.end()
    play.begin("j2")
    play.end("j2")
    assert len(collector.jobs) == 1, "the next is not tried so soon"
    assert play.services.redis.zcard(ACTIVE) == 0


def test_a_process_without_traces_leaves_them_to_workers_and_a_worker_drops_them() -> None:
    play = Play(in_worker=False)
    play.end()
    assert play.ledger.outbox("j1") == {"trace": str(CONTEXT)}
    play.services.in_worker = True
    work_off(play.services, "j1")
    assert play.ledger.outbox("j1") == {}


def _retried(services: Services) -> int:
    return retry_dead_letters(services.ledger, "j1")


def _reopened(services: Services) -> int:
    return services.spool.reopen("j1", 1, 0, ("manifest", 1), 0, [("ingest.load", 0)], [])


def test_a_trace_that_waits_for_workers_delays_no_retry() -> None:
    for again in [_retried, _reopened]:
        play = Play(in_worker=False)
        play.end(state=JobState.CANCELLED)
        assert play.ledger.outbox("j1") == {"trace": str(CONTEXT)}, again
        assert again(play.services) == 2, again
        assert play.ledger.outbox("j1") == {}, again


def test_what_the_outbox_of_a_running_job_keeps_is_cancelled_only_where_it_says_so() -> None:
    play = Play()
    kept = {"trace": "t", "newer": "1"}
    play.services.redis.hset(job_key("j1", "outbox"), mapping={**kept, "cancel:j2:1": "j2"})
    with capture_logs() as logs:
        play.watchdog.look_once()
    assert "job.not_attended" not in {line["event"] for line in logs}
    assert play.ledger.outbox("j1") == kept


def test_an_entry_of_a_newer_version_is_left_to_its_workers() -> None:
    play = Play()
    play.services.redis.hset(job_key("j1", "outbox"), "newer", "1")
    play.end()
    assert play.ledger.outbox("j1") == {"newer": "1"}
    assert play.is_active()


def test_a_trace_that_is_not_sampled_is_remembered_and_not_sent() -> None:
    unsampled = CONTEXT.model_copy(update={"sampled": False})
    play = Play(collector := Collector(), trace=unsampled)
    assert play.begun.job is not None
    assert play.begun.job.trace == str(unsampled)
    assert item_trace(play.services, play.begun.job, CLAIM, 1) is None
    play.end()
    assert not collector.jobs


def test_a_child_s_trace_is_sent_before_the_child_is_forgotten() -> None:
    parent, own = Parent(job_id="j1", epoch=1, item_id="i"), TraceContext(trace_id="1" * 32)
    play = Play(collector := Collector())
    play.begin("j1.c", trace=own, parent=parent)
    play.end("j1.c")
    assert play.ledger.job("j1.c") is None
    ((child, *_),) = collector.jobs
    assert child.trace_id == own.trace_id
    assert [link.span_id for link in child.links] == [CONTEXT.item_span("j1", 1, "i")]
    play = Play(in_worker=False)
    play.begin("j1.c", parent=parent)
    play.end("j1.c")
    assert play.ledger.outbox("j1.c") == {"trace": str(CONTEXT)}, "nobody has sent it yet"


def test_what_an_item_does_is_below_the_item_s_span_with_its_attempt() -> None:
    play = Play(collector := Collector())
    assert play.begun.job is not None
    token = follow_item(item_trace(play.services, play.begun.job, CLAIM, 2))
    with Leaf("chat m", {"gen_ai.request.model": "m", "not.known": None}) as leaf:
        leaf.note({"gen_ai.usage.input_tokens": 3})
    leave_item(token)
    with Leaf("chat m", {}):
        pass  # of no item
    (span,) = collector.emitted
    assert span.parent == CONTEXT.item_span("j1", 1, "i")
    told = {"gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 3, "hopline.attempt": 2}
    assert span.attributes == told
    play.end()
    assert span.parent in {each.span_id for each in collector.jobs[0]}


def test_a_job_that_another_asks_for_at_its_end_is_below_it() -> None:
    assert trace_below(Play(Collector()).record()) == f"00-{TRACE}-{CONTEXT.job_span('j1', 1)}-01"


def test_whatever_cannot_be_told_of_a_job_keeps_it_from_nothing() -> None:
    play = Play(Collector())
    play.services.redis.xadd("hop:{j1}:events", {"name": "item.begun", "data": "[]"})
    assert send_trace(play.services, play.record())


def test_a_job_s_trace_is_decided_when_it_is_submitted_and_an_item_s_by_that_of_its_job() -> None:
    tracer, left_out = tracer_to(Collector()), tracer_to(Collector(samples=False))
    caller = str(CONTEXT)
    unsampled = caller.removesuffix("01") + "00"
    root = TraceContext.read(tracer.opened(""))
    assert root is not None
    assert (root.parent, root.sampled) == ("", True)
    assert (tracer.opened(caller), left_out.opened(caller), left_out.opened("")) == (caller, unsampled, "")
    for either in (tracer, left_out):
        child = TraceContext.read(either.opened_child("j1.c", caller))
        assert child is not None
        assert (child.trace_id, child.sampled) == (trace_id_of("j1.c"), True)
        assert either.opened_child("j1.c", "") == either.opened_child("j1.c", unsampled) == ""
