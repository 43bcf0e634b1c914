"""One worker over a ledger, delivered to by the test, and short flows for it to do."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from doubles.broker import Broker
from hopline.models.base import Frozen
from hopline.models.jobs import JobState
from workers.core.jobs.flow import Flow, Results, Step
from workers.core.jobs.manifest import ManifestWriter
from workers.core.jobs.messages import Publisher
from workers.core.jobs.params import DocumentParams
from workers.core.jobs.records import JobRecord
from workers.core.jobs.work import End, Item, Job, Outcome, Phase, Terms
from workers.core.redis_keys import job_key
from workers.engine.runner import Runner
from workers.engine.submit import submit_job
from workers.engine.watchdog import Watchdog
from workers.ingest.batch import document_item, listed_phase
from workers.services import Services

Run = Callable[[Any, Any], Outcome]


@dataclass
class SingleWorker:
    """A broker, a runner and a watchdog that do nothing but what a test lets them."""

    services: Services
    broker: Broker = field(default_factory=Broker)

    def __post_init__(self) -> None:
        self.ledger = self.services.ledger
        self.restart()

    def restart(self) -> None:
        """Start a worker that knows nothing of the one before."""
        self.runner = Runner(self.services, self.broker)
        self.watchdog = Watchdog(self.runner.driver, 0.1)

    def submit(self, kind: str, terms: Terms | None = None, **params: object) -> str:
        return submit_job(self.services, self.broker, kind, "default", params, terms=terms).job.id

    def record(self, job: str) -> JobRecord:
        record = self.ledger.job(job)
        assert record is not None
        return record

    def work(self, job: str) -> JobRecord:
        """Deliver what is queued; no watchdog looks."""
        self.broker.deliver(self.runner)
        return self.record(job)

    def play(self, job: str, looks: int = 60) -> JobRecord:
        """Deliver, and let the watchdog look with every wait skipped, until the job has ended."""
        for _ in range(looks):
            if self.work(job).state is not JobState.RUNNING:
                break
            self.skip_waits(job)
            self.watchdog.look_once()
        return self.record(job)

    def deliver_for(self, *jobs: str) -> None:
        """Deliver the messages of these jobs; all others are lost."""
        parcels = [parcel for parcel in self.broker.queued if parcel.message.job_id in jobs]
        self.broker.queued.clear()
        for parcel in parcels:
            self.broker.deliver_one(self.runner, parcel)

    def skip_waits(self, job: str) -> None:
        """Make every wait of a job over: holds, re-send intervals; leases are left alone."""
        client = self.services.redis
        client.delete(job_key(job, "hold"))
        for item in client.zrange(job_key(job, "due"), 0, -1):
            client.zadd(job_key(job, "due"), {item: 1})

    def lose_leases(self, job: str) -> None:
        """Make every lease of a job one that has run out, as after its worker's death."""
        client, key = self.services.redis, job_key(job, "lease")
        for item, lease in client.hgetall(key).items():
            client.hset(key, item, lease.split(" ")[0] + " 1")


class NoParams(Frozen):
    """Nothing is asked of the job."""


def bare_ports(patch: pytest.MonkeyPatch) -> None:
    """Let steps have nothing but their job."""
    patch.setattr(Services, "ports", lambda _self, job, *_: SimpleNamespace(job=job))


def cut_short(_results: Results, _job: Job, reason: str) -> End:
    return End(state=JobState.PARTIAL, outcome={"reason": reason})


def end_with_errors(_phase: int, results: Results, _job: Job) -> End:
    return End(state=JobState.DONE, outcome={"errors": [done.error for done in results[0] if done.error]})


def short_flow(
    kind: str,
    run: Run,
    *,
    items: int = 1,
    advance: Callable[[int, Results, Job], End] = end_with_errors,
    queue: str = "interactive",
    needs: frozenset[str] = frozenset(),
) -> Flow:
    """Return a flow of one phase with some items of one step, KIND.do."""
    step = f"{kind}.do"
    return Flow(
        kind=kind,
        params=NoParams,
        steps={step: Step(run=run, queue=queue, needs=needs)},
        first=lambda _job: Phase(items=tuple(Item(id=f"do {nth}", step=step) for nth in range(items))),
        advance=advance,
        cut_short=cut_short,
    )


def child_flow(kind: str, params: type[Frozen], run: Run, needs: frozenset[str] = frozenset()) -> Flow:
    """Return a flow of one item, which fails where its result says so."""

    def advance(_phase: int, results: Results, _job: Job) -> End:
        done = results[0][0]
        error = done.error or ("no text" if done.result["status"] == "failed" else None)
        outcome = {"status": "failed", **done.result, "error": error}
        return End(state=JobState.FAILED if error else JobState.DONE, outcome=outcome)

    return Flow(
        kind=kind,
        params=params,
        steps={"ingest.load": Step(run=run, queue="bulk", needs=needs)},
        first=lambda _job: Phase(items=(Item(id="load", step="ingest.load"),)),
        advance=advance,
        cut_short=lambda _results, _job, why: End(state=JobState.FAILED, outcome={"reason": why}),
    )


def submit_batch(
    services: Services, publisher: Publisher, documents: int, window: int, **more: str
) -> tuple[str, str]:
    """Submit a batch of documents /docs/0 …; return its job, and the reference of its list."""
    writer = ManifestWriter(services.blobs, window)
    for at in range(documents):
        writer.add(document_item(at, DocumentParams(uri=f"/docs/{at}", source=f"/docs/{at}", format="txt")))
    listed = writer.finish()
    params = {"documents": documents, "manifest": listed.reference, **more}
    phase = listed_phase(listed.reference, listed.size, window)
    return submit_job(services, publisher, "batch", "default", params, phase=phase).job.id, listed.reference
