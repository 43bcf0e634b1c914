"""A batch of very many documents: what it holds in Redis, pauses, retries; the runner over a real Redis."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import redis
from doubles.memory_redis import services_over
from doubles.single_worker import SingleWorker, child_flow, submit_batch
from doubles.spooling import spool_at

from hopline.models.jobs import JobState, Json, Pause, PauseKind
from workers.core.jobs.batches import PAUSE_KINDS
from workers.core.jobs.flow import Results
from workers.core.jobs.manifest import ManifestWriter
from workers.core.jobs.params import DocumentParams
from workers.core.jobs.records import Claim, JobRecord
from workers.core.jobs.result_pages import get_entries
from workers.core.jobs.work import ChildResult, End, Job, Outcome, Phase
from workers.core.redis_keys import ACTIVE, PAUSED, job_key
from workers.engine.driver import ADVANCE
from workers.engine.submit import cancel_job, retry_job
from workers.flows import registry
from workers.ingest.batch import BATCH, document_item
from workers.telemetry.metrics import COUNTS, Number, read_counts

WINDOW = 40
SPOOLED_AT = 100
ALL = 10**9


@dataclass
class Night(SingleWorker):
    """Documents whose one step fails where a test says so."""

    broken: set[str] = field(default_factory=set)
    read: Counter[str] = field(default_factory=Counter)
    most: int = 0  # items that Redis ever held of the batch

    def submit_batch(self, documents: int, **params: str) -> str:
        return submit_batch(self.services, self.broker, documents, WINDOW, **params)[0]

    def begin(self, documents: int, until: int) -> str:
        """Submit a batch, and play until so many documents were read."""
        job = self.submit_batch(documents)
        self.play_on(job, until)
        return job

    def play_on(self, job: str, until: int = ALL) -> JobRecord:
        """Deliver and look until the batch has ended, pauses, or enough was read."""
        for _ in range(400):
            while self.broker.queued and self.read.total() < until:
                self.broker.deliver_one(self.runner, self.broker.queued.popleft())
                self.most = max(self.most, self.services.redis.hlen(job_key(job, "items")))
            record = self.record(job)
            enough = self.read.total() >= until
            if record.state is not JobState.RUNNING or self.services.pauses.of(job) or enough:
                return record
            self.watchdog.look_once()
        raise AssertionError("it never ended")

    def ends_with(self, job: str, **counts: int) -> JobRecord:
        """Play to the end, which must be of these counts."""
        ended = self.play_on(job)
        assert ended.outcome["counts"] == counts
        return ended

    def cancel_and_retry(self, job: str) -> None:
        cancel_job(self.services, job)
        self.broker.queued.clear()
        retry_job(self.services, self.broker, job)

    def active(self, prefix: str) -> list[str]:
        return [name for name in self.services.redis.zrange(ACTIVE, 0, -1) if name.startswith(prefix)]

    def lines(self, record: JobRecord) -> list[Json]:
        return [e.line for page in record.outcome["pages"] for e in get_entries(self.services.blobs, page)]


@pytest.fixture
def night(client: redis.Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Night]:
    # There is no graph to ask for topics.
    made = Night(
        services_over(client, blob_url=str(tmp_path), resend_seconds=0.05, topics_after_ingest="never")
    )

    def read(_given: Json, ports: Any) -> Outcome:
        uri = ports.job.params["uri"]
        made.read[uri] += 1
        return Outcome(result={"uri": uri, "status": "failed" if uri in made.broken else "done", "chunks": 2})

    monkeypatch.setitem(registry.FLOWS, "document", child_flow("document", DocumentParams, read))
    spool_at(monkeypatch, SPOOLED_AT)
    yield made
    made.services.close()


def docs(*numbers: int) -> set[str]:
    return {f"/docs/{at}" for at in numbers}


def test_redis_holds_the_window_and_the_report_every_document(night: Night) -> None:
    ended = night.ends_with(night.submit_batch(300), done=300)
    assert ended.state is JobState.DONE
    assert sorted(Counter(line["uri"] for line in night.lines(ended)).items()) == sorted(night.read.items())
    assert night.read.total() == 300
    assert night.most < SPOOLED_AT + 3 * WINDOW
    assert night.services.redis.keys("hop:{*.*}*") == []
    assert night.services.redis.zcard(ACTIVE) == 0


def test_a_retry_does_again_what_failed_and_nothing_else(night: Night) -> None:
    night.broken = docs(3, 110, 165, 179)
    job = night.submit_batch(180)
    ended = night.ends_with(job, done=176, failed=4)
    assert (ended.state, ended.dead) == (JobState.PARTIAL, 4)
    shown = sorted(line["uri"] for line in (ended.outcome or {})["documents"])
    assert shown == sorted(night.broken), "of many documents the outcome lists those that failed"
    night.broken = docs(3)
    night.read.clear()
    retry_job(night.services, night.broker, job)
    again = night.ends_with(job, done=179, failed=1)
    assert night.read == Counter(docs(3, 110, 165, 179))
    assert again.done["ingest.document"] == 180
    assert len(night.lines(again)) == len({line["uri"] for line in night.lines(again)}) == 180


@pytest.mark.parametrize(("documents", "read"), [(280, 180), (100, 0), (100, 99)])
def test_a_cancelled_batch_goes_on_where_it_stood(night: Night, documents: int, read: int) -> None:
    job = night.begin(documents, until=read)
    night.cancel_and_retry(job)
    assert night.ends_with(job, done=documents).state is JobState.DONE
    assert night.read.total() < documents + 2 * WINDOW


def test_thousands_of_results_that_could_not_leave_redis_survive_a_cancel_and_a_retry(night: Night) -> None:
    documents = 5600
    job = night.begin(documents, until=3 * SPOOLED_AT // 2)
    keep_results_in_redis(night, job, documents)
    night.cancel_and_retry(job)
    read = night.read.total()
    ended = night.ends_with(job, done=documents)
    assert night.read.total() < read + 2 * WINDOW
    assert len(night.lines(ended)) == ended.done["ingest.document"] == documents


def keep_results_in_redis(night: Night, job: str, documents: int) -> None:
    """Let all documents that were never begun be done, as if the blob store took no page of them."""
    client = night.services.redis
    begun = client.hget(job_key(job, "job"), "cursor")
    items = [
        document_item(at, DocumentParams(uri=f"/docs/{at}", source=f"/docs/{at}", format="txt"))
        for at in range(int(begun or 0), documents)
    ]
    results = {item.id: child_result(item.input["uri"]) for item in items}
    client.hset(
        job_key(job, "result"), mapping={name: f"0 ingest.document {text}" for name, text in results.items()}
    )
    inputs = {item.id: f"0 ingest.document {json.dumps(item.input)}" for item in items}
    client.hset(job_key(job, "items"), mapping=inputs)
    client.hset(job_key(job, "job"), "cursor", documents)


def child_result(uri: str) -> str:
    return ChildResult(state=JobState.DONE, outcome={"uri": uri, "status": "done"}).model_dump_json()


@pytest.mark.parametrize("first", ["user", "hours"])
def test_a_batch_pauses_until_no_reason_is_left(night: Night, first: PauseKind) -> None:
    pauses, job = night.services.pauses, night.submit_batch(20)
    pauses.pause(job, first, "first")
    for kind in PAUSE_KINDS:
        assert pauses.pause(job, kind, "it has a reason") == (kind != first)
    assert [pause.kind for pause in pauses.reasons(job)] == list(PAUSE_KINDS)
    for kind in reversed(PAUSE_KINDS):
        pause = pauses.of(job)
        assert pause.kind == "user", "a user's pause is above all"
        night.watchdog.look_once()
        night.broker.deliver(night.runner)
        assert not night.read
        assert pauses.resume(job, kind)
        assert not pauses.resume(job, kind)
    assert night.play_on(job).state is JobState.DONE
    assert [span.kind for span in pauses.history(job)] == [*reversed(PAUSE_KINDS)]


def test_the_pauses_of_the_version_before_are_read_and_it_reads_those_of_this(night: Night) -> None:
    pauses, job, client = night.services.pauses, night.submit_batch(20), night.services.redis
    old = Pause(kind="hours", why="its hours", since=1.5)
    client.hset(PAUSED, job, old.model_dump_json())
    assert pauses.reasons(job) == (old,)
    pauses.pause(job, "user", "asked for")
    stored = Pause.model_validate_json(client.hget(PAUSED, job))
    assert stored.kind == "user", "the version before knows of one: the user's"
    pauses.resume(job, "user")
    assert Pause.model_validate_json(client.hget(PAUSED, job)) == old
    pauses.pause(job, "user", "asked for")
    client.hdel(PAUSED, job)  # as the version before resumes
    assert pauses.reasons(job) == (old,)
    pauses.resume(job)
    assert client.hlen(PAUSED) == 0


def test_the_end_of_a_job_ends_its_pause_and_it_does_not_begin_another(night: Night) -> None:
    job = night.submit_batch(20)
    night.services.pauses.pause(job, "user", "asked for")
    cancel_job(night.services, job)
    assert night.services.redis.hlen(PAUSED) == 0
    assert not night.services.pauses.pause(job, "budget", "a refusal that comes late")
    retry_job(night.services, night.broker, job)
    assert night.play_on(job).state is JobState.DONE


@pytest.mark.parametrize("killed", [False, True])
def test_a_batch_whose_first_documents_fail_pauses_once_and_says_why(night, monkeypatch, killed):
    calls, pause = [], night.services.pauses.pause

    def killed_at_first(*args: object) -> bool:
        """The worker that counted them is killed, and the next one counts one more."""
        calls.append(args)
        if killed and len(calls) == 1:
            raise RuntimeError("kill -9")
        return pause(*args)

    monkeypatch.setattr(night.services.pauses, "pause", killed_at_first)
    night.broken = docs(*range(0, 240, 4))
    job = night.submit_batch(240)
    night.play_on(job)
    reason = night.services.pauses.of(job)
    assert reason.kind == "failures"
    assert killed or reason.why.startswith("40 of the first 1")
    night.services.pauses.resume(job)
    night.ends_with(job, done=180, failed=60)  # whoever resumes it is not asked again


@pytest.mark.parametrize("documents", [20, 150])
@pytest.mark.parametrize("name", ["", "night"])
def test_a_batch_whose_flow_cannot_go_on_ends_and_a_retry_goes_on(night, monkeypatch, name, documents):
    def crash(_phase: int, _results: Results, _job: Job) -> Phase | End:
        raise KeyError("nothing there")

    night.broken = docs(3)
    COUNTS.flush(night.services.redis)
    given_up, before = Number("hopline_dead_letters", (ADVANCE,)), read_counts(night.services.redis)
    with monkeypatch.context() as patch:
        patch.setitem(registry.FLOWS, "batch", replace(BATCH, advance=crash))
        job = night.submit_batch(documents, name=name)
        ended = night.play(job)
    assert ended.state is JobState.FAILED
    assert ended.outcome["counts"] == {"done": documents - 1, "failed": 1}
    assert "nothing there" in ended.outcome["reason"]
    assert [line["uri"] for line in ended.outcome["documents"] if line["status"] == "failed"] == ["/docs/3"]
    letters = {letter.step: letter.error for letter in night.ledger.dead_letters(job)}
    assert letters[ADVANCE] == "KeyError: 'nothing there'"
    COUNTS.flush(night.services.redis)
    assert read_counts(night.services.redis)[given_up] == before.get(given_up, 0) + 1
    night.broken.clear()
    night.read.clear()
    retry_job(night.services, night.broker, job)
    assert night.ends_with(job, done=documents).state is JobState.DONE
    assert night.read == Counter(docs(3))


@pytest.mark.parametrize("window", [40, 300])
def test_a_window_is_filled_again_as_soon_as_a_page_fits(client, tmp_path, window):
    worker = SingleWorker(services_over(client, blob_url=str(tmp_path)))
    name, _list = submit_batch(worker.services, worker.broker, 2 * window + 200, window)
    job, driver, due = worker.record(name).job, worker.runner.driver, job_key(name, "due")
    driver.admit(job, worker.ledger.look([name])[0].cursor)
    in_flight = []
    for _ in range(window):
        claim = Claim(job_id=name, epoch=1, item_id=client.zrange(due, 0, 0)[0], token="t")
        driver.send_new(job, worker.ledger.finish(claim, Outcome(result={})), ())
        in_flight.append(client.zcard(due))
    assert max(in_flight) <= window
    assert min(in_flight) >= window - ManifestWriter(worker.services.blobs, window).page
