"""Neo4j's processor time by statement, of documents that threads of this process ingest."""

from __future__ import annotations

import queue
import secrets
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from celery.exceptions import Ignore, Retry
from ingest import make_folder
from world import World

from hopline.models.jobs import JobState, Json
from workers.adapters.neo4j.connection import Connection
from workers.core.jobs.messages import Message
from workers.core.jobs.params import DocumentParams
from workers.engine.driver import Delivery
from workers.engine.runner import Runner
from workers.engine.submit import submit_job
from workers.ingest.batch import documents_phase
from workers.services import Services

_THREADS = 16
_LOOK_SECONDS = 0.05


@dataclass
class _Statement:
    """What one statement took so far."""

    transactions: int = 0
    seconds: float = 0.0  # of processor time


@dataclass
class Statements:
    """Counts transactions, one at a time, so that Neo4j's time is that of the one that runs."""

    server: psutil.Process
    counted: defaultdict[str, _Statement] = field(default_factory=lambda: defaultdict(_Statement))
    lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Count what this process runs meanwhile."""
        repeated = Connection._repeated  # noqa: SLF001 - all of a connection's transactions go through it

        def run(connection: Connection, name: str, once: Callable[[Any], Any]) -> Any:
            with self.lock:
                before = self._used()
                try:
                    return repeated(connection, name, once)
                finally:
                    self.counted[name].transactions += 1
                    self.counted[name].seconds += self._used() - before

        Connection._repeated = run  # type: ignore[assignment, method-assign]  # noqa: SLF001
        try:
            yield
        finally:
            Connection._repeated = repeated  # type: ignore[method-assign]  # noqa: SLF001

    def _used(self) -> float:
        """Return the processor seconds of all threads, in nanoseconds' steps where Linux tells them."""
        tasks = Path(f"/proc/{self.server.pid}/task")
        if not tasks.is_dir():
            return float(sum(self.server.cpu_times()[:2]))
        return sum(map(_thread_nanoseconds, tasks.iterdir())) / 1e9


def _thread_nanoseconds(task: Path) -> int:
    try:
        return int((task / "schedstat").read_text(encoding="ascii").split()[0])
    except OSError:  # it has ended
        return 0


@dataclass
class _Broker:
    """Hands messages to threads of this process."""

    messages: queue.Queue[Message] = field(default_factory=queue.Queue)

    def send(self, messages: Sequence[Message]) -> None:
        for message in messages:
            self.messages.put(message)

    def chain(self, *chains: Sequence[Message]) -> None:
        self.send([chain[0] for chain in chains])  # what follows is sent when it is due

    def chord(self, header: Sequence[Message], body: Message) -> None:
        raise NotImplementedError


def server_by_statement(world: World, chunks: int, total: int, most: int) -> list[Json]:
    """Ingest documents of so many chunks; return {statement, transactions, ms} each, per document.

    Args:
        world: whose servers do it.
        chunks: of a document.
        total: chunks of all documents.
        most: HOPLINE_SMALL_DOCUMENT_CHUNKS.
    """
    own = world.beside("statements", 9, HOPLINE_SMALL_DOCUMENT_CHUNKS=str(most))
    limits = own.settings.limits.model_copy(update={"chunk_tokens": 330, "chunk_overlap": 0})
    services, broker = Services(own.settings.model_copy(update={"limits": limits})), _Broker()
    runner = Runner(services, broker)
    statements = Statements(psutil.Process(world.running["neo4j"].pid))
    with statements.watching():
        _ingest(own, services, broker, runner, chunks, total // 4)
        statements.counted.clear()
        _ingest(own, services, broker, runner, chunks, total)
    services.graph.close()
    documents = total // chunks
    rows: list[Json] = [
        {
            "statement": name,
            "transactions": round(cost.transactions / documents, 2),
            "ms": round(1000 * cost.seconds / documents, 2),
        }
        for name, cost in statements.counted.items()
    ]
    return sorted(rows, key=lambda row: -row["ms"])


def _ingest(
    world: World, services: Services, broker: _Broker, runner: Runner, chunks: int, total: int
) -> None:
    folder = make_folder(world, total // chunks, chunks)
    sources = [str(path) for path in sorted(folder.iterdir())]
    documents = [DocumentParams(uri=source, source=source, format="txt") for source in sources]
    params = {"documents": len(documents)}
    phase = documents_phase(documents, services.settings.documents_in_flight)
    collection = f"bench-{secrets.token_hex(4)}"
    job = submit_job(services, broker, "batch", collection, params, phase=phase).job.id

    def running() -> bool:
        record = services.ledger.job(job)
        return record is not None and record.state is JobState.RUNNING

    def work() -> None:
        while running():
            try:
                message = broker.messages.get(timeout=_LOOK_SECONDS)
                runner.run(message.job_id, message.epoch, message.item_id, Delivery())
            except (queue.Empty, Ignore, Retry):
                continue

    with ThreadPoolExecutor(_THREADS) as pool:
        for thread in [pool.submit(work) for _ in range(_THREADS)]:
            thread.result()
    record = services.ledger.job(job)
    if record is None or record.state is not JobState.DONE:
        raise SystemExit(f"{chunks} chunks a document: {record}")
