"""A batch of very many documents: what it holds in Redis, pauses, retries; the runner over a real Redis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from doubles.broker import Broker
from doubles.spooling import spool_at
from structlog.testing import capture_logs

from workers.core.jobs.batches import PAUSE_KINDS, Pause, PauseKind
from workers.core.jobs.flow import Flow, Results, Step
from workers.core.jobs.manifest import ManifestWriter
from workers.core.jobs.params import DocumentParams
from workers.core.jobs.result_pages import get_entries
from workers.core.jobs.work import End, Item, Job, JobState, Json, Outcome, Phase
from workers.engine.result_pages import entry_of, page_of
from workers.engine.runner import Runner
from workers.engine.submit import cancel_job, retry_job, submit_job
from workers.engine.watchdog import Watchdog
from workers.flows import registry
from workers.flows.batch import document_item, listed_phase
from workers.ledger.keys import ACTIVE, PAUSED, job_key
from workers.ledger.records import JobRecord, Look
from workers.services import Services
from workers.settings import Settings

WINDOW = 40
SPOOLED_AT = 100


@dataclass
class Night:
    """Documents whose one step fails where a test says so."""

    services: Services
    broker: Broker = field(default_factory=Broker)
    broken: set[str] = field(default_factory=set)
    read: Counter[str] = field(default_factory=Counter)
    most: int = 0  # items that Redis ever held of the batch
    stop_after: int = 10**9  # documents

    def __post_init__(self) -> None:
        self.runner = Runner(self.services, self.broker)
        self.watchdog = Watchdog(self.runner.driver, 0.1)

    def submit(self, documents: int) -> JobRecord:
        writer = ManifestWriter(self.services.blobs, WINDOW)
        for at in range(documents):
            params = DocumentParams(uri=f"/docs/{at}", source=f"/docs/{at}", format="txt")
            writer.add(document_item(at, params))
        listed = writer.finish()
        batch_params = {"documents": documents, "manifest": listed.reference}
        phase = listed_phase(listed.reference, listed.size, WINDOW)
        return submit_job(self.services, self.broker, "batch", "default", batch_params, phase=phase)

    def play(self, name: str, looks: int = 400) -> JobRecord:
        """Deliver and look until the batch has ended, pauses, or enough was read."""
        for _ in range(looks):
            while self.broker.queued and self.read.total() < self.stop_after:
                self.broker.deliver_one(self.runner, self.broker.queued.popleft())
                self.most = max(self.most, self.services.redis.hlen(job_key(name, "items")))
            record = self.record(name)
            enough = self.read.total() >= self.stop_after
            if record.state is not JobState.RUNNING or self.services.pauses.of(name) or enough:
                return record
            self.watchdog.look_once()
        raise AssertionError("it never ended")

    def record(self, name: str) -> JobRecord:
        record = self.services.ledger.job(name)
        assert record is not None
        return record

    def lines(self, record: JobRecord) -> list[Json]:
        assert record.outcome is not None
        return [e.line for page in record.outcome["pages"] for e in get_entries(self.services.blobs, page)]


@pytest.fixture
def night(empty_redis: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Night]:
    settings = Settings(
        _env_file=None,
        redis_url=empty_redis,
        blob_url=str(tmp_path),
        resend_seconds=0.05,
        topics_after_ingest="never",  # there is no graph to ask for topics
    )
    made = Night(Services(settings))

    def read(_given: Json, ports: object) -> Outcome:
        uri = ports.job.params["uri"]  # type: ignore[attr-defined]
        made.read[uri] += 1
        return Outcome(result={"uri": uri, "status": "failed" if uri in made.broken else "done"})

    def advance(_phase: int, results: Results, _job: Job) -> End:
        outcome = results[0][0].result
        failed = outcome["status"] == "failed"
        child_outcome = {**outcome, "chunks": 2, "error": "no text" if failed else None}
        return End(state=JobState.FAILED if failed else JobState.DONE, outcome=child_outcome)

    def cut(_results: Results, _job: Job, reason: str) -> End:
        return End(state=JobState.FAILED, outcome={"reason": reason})

    flow = Flow(
        kind="document",
        params=DocumentParams,
        steps={"ingest.load": Step(run=read)},
        first=lambda _job: Phase(items=(Item(id="load", step="ingest.load"),)),
        advance=advance,
        cut_short=cut,
    )
    monkeypatch.setitem(registry.FLOWS, "document", flow)
    spool_at(monkeypatch, SPOOLED_AT)
    yield made
    made.services.close()


def test_redis_holds_the_window_and_the_report_every_document(night: Night) -> None:
    job = night.submit(450).job.id
    ended = night.play(job)
    assert ended.state is JobState.DONE
    assert ended.outcome is not None
    assert ended.outcome["counts"] == {"done": 450}
    assert sorted(Counter(line["uri"] for line in night.lines(ended)).items()) == sorted(night.read.items())
    assert night.read.total() == 450
    assert night.most < SPOOLED_AT + 3 * WINDOW
    assert night.services.redis.keys("hop:{*.*}*") == []
    assert night.services.redis.zcard(ACTIVE) == 0


def test_a_retry_does_again_what_failed_and_nothing_else(night: Night) -> None:
    night.broken = {f"/docs/{at}" for at in (3, 110, 165, 179)}
    job = night.submit(180).job.id
    ended = night.play(job)
    assert ended.state is JobState.PARTIAL
    assert ended.outcome is not None
    assert ended.outcome["counts"] == {"done": 176, "failed": 4}
    assert ended.dead == 4
    shown = sorted(line["uri"] for line in ended.outcome["documents"])
    assert shown == sorted(night.broken), "of many documents the outcome lists those that failed"
    night.broken = {"/docs/3"}
    night.read.clear()
    retry_job(night.services, night.broker, job)
    again = night.play(job)
    assert night.read == Counter({f"/docs/{at}": 1 for at in (3, 110, 165, 179)})
    assert again.outcome is not None
    assert again.outcome["counts"] == {"done": 179, "failed": 1}
    assert again.done["ingest.document"] == 180
    assert len(night.lines(again)) == len({line["uri"] for line in night.lines(again)}) == 180


def test_a_cancelled_batch_goes_on_where_it_stood(night: Night) -> None:
    night.stop_after = 250
    job = night.submit(400).job.id
    night.play(job)
    cancel_job(night.services, job)
    night.stop_after = 10**9
    night.play(job)
    night.broker.queued.clear()
    retry_job(night.services, night.broker, job)
    ended = night.play(job)
    assert ended.state is JobState.DONE
    assert ended.outcome is not None
    assert ended.outcome["counts"] == {"done": 400}
    assert night.read.total() < 400 + 2 * WINDOW


@pytest.mark.long
def test_a_batch_of_which_no_page_is_left_can_be_retried_again(night: Night) -> None:
    night.broken = {f"/docs/{at}" for at in range(230)}
    job = night.submit(230).job.id
    night.play(job)
    night.services.pauses.resume(job)  # of its first documents too many failed
    assert night.play(job).state is JobState.FAILED
    retry_job(night.services, night.broker, job)
    for _ in range(2):  # the second time nothing was begun in between
        cancel_job(night.services, job)
        night.broker.queued.clear()
        retry_job(night.services, night.broker, job)
    night.broken.clear()
    ended = night.play(job)
    assert ended.outcome is not None
    assert ended.outcome["counts"] == {"done": 230}


@pytest.mark.long
@pytest.mark.parametrize("again", [False, True])
def test_a_worker_that_stalled_over_the_end_of_a_list_admits_nothing(night: Night, *, again: bool) -> None:
    night.stop_after = 150
    job = night.submit(200).job.id
    stalled = night.play(job).job
    if again:
        cancel_job(night.services, job)
        retry_job(night.services, night.broker, job)  # its list is shorter
    else:
        night.stop_after = 10**9
        night.play(job)
        night.services.redis.hset(job_key(job, "job"), "manifest", "")  # as a phase without a list leaves it
    night.runner.driver.admit(stalled, 180)
    night.stop_after = 10**9
    assert night.play(job).state is JobState.DONE


@pytest.mark.parametrize("read", [0, 10, 99])
def test_a_small_batch_that_was_cancelled_goes_on_where_it_stood(night: Night, read: int) -> None:
    night.stop_after = read
    job = night.submit(100).job.id
    night.play(job)
    cancel_job(night.services, job)
    night.stop_after = 10**9
    night.broker.queued.clear()
    retry_job(night.services, night.broker, job)
    ended = night.play(job)
    assert ended.state is JobState.DONE
    assert ended.outcome is not None
    assert ended.outcome["counts"] == {"done": 100}
    assert night.read.total() <= 100 + 2 * WINDOW


def test_a_paused_batch_begins_nothing_and_goes_on_when_it_is_resumed(night: Night) -> None:
    night.stop_after = 100
    job = night.submit(300).job.id
    night.play(job)
    assert night.services.pauses.pause(job, "user", "asked for")
    assert not night.services.pauses.pause(job, "user", "asked for again")
    night.stop_after = 10**9
    before = night.read.total()
    night.broker.deliver(night.runner)
    night.watchdog.look_once()
    assert (night.read.total(), len(night.broker.queued)) == (before, 0)
    assert night.services.pauses.resume(job)
    ended = night.play(job)
    assert ended.outcome is not None
    assert ended.outcome["counts"] == {"done": 300}


@pytest.mark.parametrize("first", ["user", "hours"])
def test_a_batch_pauses_until_no_reason_is_left(night: Night, first: PauseKind) -> None:
    pauses, job = night.services.pauses, night.submit(20).job.id
    pauses.pause(job, first, "first")
    for kind in PAUSE_KINDS:
        assert pauses.pause(job, kind, "it has a reason") == (kind != first)
    assert [pause.kind for pause in pauses.reasons(job)] == list(PAUSE_KINDS)
    for kind in reversed(PAUSE_KINDS):
        pause = pauses.of(job)
        assert pause is not None
        assert pause.kind == "user", "a user's pause is above all"
        night.watchdog.look_once()
        night.broker.deliver(night.runner)
        assert not night.read
        assert pauses.resume(job, kind)
        assert not pauses.resume(job, kind)
    assert night.play(job).state is JobState.DONE
    assert [span.kind for span in pauses.history(job)] == [*reversed(PAUSE_KINDS)]


def test_the_pauses_of_the_version_before_are_read_and_it_reads_those_of_this(night: Night) -> None:
    pauses, job = night.services.pauses, night.submit(20).job.id
    old = Pause(kind="hours", why="its hours", since=1.5)
    night.services.redis.hset(PAUSED, job, old.model_dump_json())
    assert pauses.reasons(job) == (old,)
    pauses.pause(job, "user", "asked for")
    stored = night.services.redis.hget(PAUSED, job)
    assert Pause.model_validate_json(stored).kind == "user", "the version before knows of one: the user's"
    pauses.resume(job, "user")
    assert Pause.model_validate_json(night.services.redis.hget(PAUSED, job)) == old
    pauses.pause(job, "user", "asked for")
    night.services.redis.hdel(PAUSED, job)  # as the version before resumes
    assert pauses.reasons(job) == (old,)
    pauses.resume(job)
    assert night.services.redis.hlen(PAUSED) == 0


def test_a_job_that_has_ended_does_not_begin_to_pause(night: Night) -> None:
    job = night.submit(20).job.id
    cancel_job(night.services, job)
    assert not night.services.pauses.pause(job, "budget", "a refusal that comes late")
    retry_job(night.services, night.broker, job)
    assert night.play(job).state is JobState.DONE


def test_a_batch_whose_canceller_died_is_worked_off_though_it_pauses(night: Night) -> None:
    night.stop_after = 10
    job = night.submit(100).job.id
    night.play(job)
    night.broker.queued.clear()
    children = [child for child in night.services.redis.zrange(ACTIVE, 0, -1) if child.startswith(f"{job}.")]
    assert children
    night.services.pauses.pause(job, "user", "asked for")
    night.services.ledger.end(job, None, JobState.CANCELLED, {})
    for _ in range(2):
        night.watchdog.look_once()
    assert not [name for name in night.services.redis.zrange(ACTIVE, 0, -1) if name.startswith(job)]
    assert night.services.ledger.outbox(job) == {}
    assert not night.services.ledger.running(children), "its documents are cancelled"
    assert night.services.redis.hlen(PAUSED) == 0


def test_an_ended_document_of_a_paused_batch_is_worked_off(night: Night) -> None:
    night.stop_after = 10
    job = night.submit(100).job.id
    night.play(job)
    child = next(item for item in night.services.redis.zrange(ACTIVE, 0, -1) if item.startswith(f"{job}."))
    night.services.pauses.pause(job, "user", "asked for")
    night.services.ledger.end(child, None, JobState.DONE, {"uri": "/docs/x", "status": "done"})
    done = night.record(job).done["ingest.document"]
    for _ in range(2):
        night.watchdog.look_once()
    assert night.record(job).done["ingest.document"] == done + 1
    assert night.services.pauses.of(job) is not None
    cancel_job(night.services, job)


def test_a_watchdog_that_stalled_until_its_batch_went_on_says_nothing(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    night.stop_after = 10
    job = night.submit(100).job.id
    night.play(job)
    stale = Look(verdict="running", epoch=1, delegated=(("0:of a list before", f"{job}.0"),))
    monkeypatch.setattr(night.services.ledger, "look", lambda page, _backlog: [stale for _ in page])
    with capture_logs() as logs:
        night.watchdog.look_once()
    assert not [log for log in logs if log["log_level"] == "error"]


def test_the_end_of_a_paused_batch_ends_its_pause(night: Night) -> None:
    job = night.submit(300).job.id
    night.services.pauses.pause(job, "user", "asked for")
    cancel_job(night.services, job)
    assert night.services.redis.hlen(PAUSED) == 0


def test_a_batch_whose_first_documents_fail_pauses_and_says_why(night: Night) -> None:
    night.broken = {f"/docs/{at}" for at in range(0, 300, 4)}
    job = night.submit(300).job.id
    night.play(job)
    pause = night.services.pauses.of(job)
    assert pause is not None
    assert pause.kind == "failures"
    assert pause.why.startswith("40 of the first 1")
    night.services.pauses.resume(job)
    ended = night.play(job)
    assert ended.outcome is not None
    assert ended.outcome["counts"] == {"done": 225, "failed": 75}


def test_a_batch_pauses_for_its_first_failures_although_the_worker_that_counted_them_was_killed(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, pause = [], night.services.pauses.pause

    def killed_at_first(*args: object) -> bool:
        calls.append(args)
        if len(calls) == 1:
            raise RuntimeError("kill -9")
        return pause(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(night.services.pauses, "pause", killed_at_first)
    night.broken = {f"/docs/{at}" for at in range(40)}
    job = night.submit(300).job.id
    night.play(job)
    reason = night.services.pauses.of(job)
    assert reason is not None
    assert reason.kind == "failures"
    night.services.pauses.resume(job)
    assert night.play(job).state is JobState.PARTIAL, "whoever resumes it is not asked again"


@pytest.mark.long
def test_a_page_that_two_workers_write_stands_once(night: Night) -> None:
    night.stop_after = 120
    job = night.submit(180).job.id
    night.play(job)
    spool, record = night.services.spool, night.record(job)
    taken = spool.take(job, 0, "ingest.document")
    flow = registry.FLOWS["batch"]
    page = page_of(night.services, 0, [entry_of(flow, done, item_input) for done, item_input in taken])
    items = [done.item_id for done, _ in taken]
    before = len(spool.pages(job))
    assert spool.store(job, record.epoch, page, items)
    assert not spool.store(job, record.epoch, page, items)
    assert len(spool.pages(job)) == before + 1
    night.stop_after = 10**9
    ended = night.play(job)
    assert ended.outcome is not None
    assert ended.outcome["counts"] == {"done": 180}
