"""Ingestion in a small model: documents, items, threads, processors and limits, event after event."""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from hopline.models.base import Frozen

_LINK, _EXTRACT, _LOAD = 0, 3, 6  # priorities of the steps, as workers.ingest.flow has them

ITEMS_OF_DOCUMENT = 5  # handed over, loaded, split, linked, indexed; and one for each chunk


class Costs(Frozen):
    """Processor milliseconds on the machine that was measured.

    A document is loaded, split, its chunks are extracted one by one, linked a page at a time, and indexed: an
    item each, and one of the batch that hands it over.
    """

    worker_item: float  # of the worker, for each item: Celery, the ledger, the step itself
    servers_document: float  # of Neo4j, Redis and the vector store together, for each document
    servers_chunk: float  # and for each chunk
    model_chunk: float  # of the offline model, where it runs on the same machine
    source: str


MEASURED = Costs(
    worker_item=10.8,
    servers_document=0.0,
    servers_chunk=15.8,
    model_chunk=3.9,
    source="bench/ingest.py, 0 ms, 64 calls, ten chunks a document, 2 cores",
)


class Load(Frozen):
    """What is to be done, with what, under which limits."""

    documents: int
    chunks: int  # of one document
    latency: float  # seconds of a chat call
    processes: int  # of bulk workers
    threads: int  # of each
    calls: int  # chat calls in flight, of all processes together
    window: int  # documents in flight
    calls_per_second: float | None = None  # what the limits of requests and tokens allow; None: no limit
    cores: int | None = None  # of the one machine that everything runs on; None: servers are elsewhere
    offline_model: bool = False  # whether the model takes processor time of that machine


class Run(Frozen):
    """What came of it."""

    seconds: float
    chunks_per_second: float  # in the middle half of the run, where it neither begins nor ends
    busy_threads: float  # share
    busy_processors: float  # share of what the worker processes may use, a core each


@dataclass
class _Station:
    """Servers that take jobs first come, first served."""

    servers: int
    waiting: deque[tuple[float, Callable[[], None]]] = field(default_factory=deque)
    busy: int = 0
    worked: float = 0.0  # seconds of all servers


class Simulation:
    """One run.

    Args:
        load: what is to be done.
        costs: processor time of its parts.
    """

    def __init__(self, load: Load, costs: Costs) -> None:
        self._load = load
        self._costs = costs
        self._now = 0.0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._number = itertools.count()
        self._items: list[tuple[int, int, Callable[[], None]]] = []  # ready, by priority
        self._free = load.processes * load.threads
        self._held = 0.0  # thread seconds
        self._workers = _Station(load.processes)
        self._machine = _Station(load.cores) if load.cores else None
        self._calls = _Station(load.calls)
        self._turn = 0.0  # when the limiter lets the next call go
        self._begun = 0
        self._extracted: list[float] = []

    def run(self) -> Run:
        """Do it all and return what it took."""
        for _ in range(min(self._load.window, self._load.documents)):
            self._begin_document()
        while self._events:
            self._now, _number, act = heapq.heappop(self._events)
            act()
        return self._result()

    def _result(self) -> Run:
        ends, load = self._extracted, self._load
        first, last = len(ends) // 4, max(len(ends) // 4 + 1, 3 * len(ends) // 4)
        middle = ends[min(last, len(ends) - 1)] - ends[first]
        return Run(
            seconds=self._now,
            chunks_per_second=(min(last, len(ends) - 1) - first) / middle
            if middle
            else len(ends) / self._now,
            busy_threads=self._held / self._now / (load.processes * load.threads),
            busy_processors=self._workers.worked / self._now / load.processes,
        )

    # documents ------------------------------------------------------------------------------------

    def _begin_document(self) -> None:
        if self._begun == self._load.documents:
            return
        self._begun += 1
        left = [self._load.chunks]

        def extracted() -> None:
            self._extracted.append(self._now)
            left[0] -= 1
            if not left[0]:
                self._item(_LINK, self._linking(), lambda: self._item(_LINK, 0.0, self._begin_document))

        def split() -> None:
            for _ in range(self._load.chunks):
                self._item(_EXTRACT, self._model_ms(), extracted, call=True)

        handed = self._costs.servers_document
        self._item(_LOAD, handed, lambda: self._item(_LOAD, 0.0, lambda: self._item(_EXTRACT, 0.0, split)))

    def _linking(self) -> float:
        return self._costs.servers_chunk * self._load.chunks

    def _model_ms(self) -> float:
        return self._costs.model_chunk if self._load.offline_model else 0.0

    # items ----------------------------------------------------------------------------------------

    def _item(self, priority: int, servers: float, then: Callable[[], None], *, call: bool = False) -> None:
        """Have an item done by a free thread: worker, servers (milliseconds), and a model's call or none."""
        begun = [0.0]

        def done() -> None:
            self._free += 1
            self._held += self._now - begun[0]
            then()
            self._assign()

        def begin() -> None:
            begun[0] = self._now
            after = (lambda: self._call(done)) if call else done
            self._process(servers, after)

        heapq.heappush(self._items, (priority, next(self._number), begin))
        self._assign()

    def _assign(self) -> None:
        while self._free and self._items:
            self._free -= 1
            heapq.heappop(self._items)[2]()

    def _process(self, servers: float, then: Callable[[], None]) -> None:
        """Take processor time: the worker's, a core to a process, and on one machine everybody's."""
        worker, machine = self._costs.worker_item / 1000, self._machine
        if machine is None:
            self._serve(self._workers, worker, then)
        elif self._load.processes < machine.servers:
            whole = worker + servers / 1000
            self._serve(self._workers, worker, lambda: self._serve(machine, whole, then))
        else:
            self._workers.worked += worker
            self._serve(machine, worker + servers / 1000, then)

    def _call(self, then: Callable[[], None]) -> None:
        rate = self._load.calls_per_second
        if rate is None:
            self._serve(self._calls, self._load.latency, then)
            return
        self._turn = max(self._now, self._turn + 1 / rate)
        self._at(self._turn, lambda: self._serve(self._calls, self._load.latency, then))

    # time -----------------------------------------------------------------------------------------

    def _serve(self, station: _Station, seconds: float, then: Callable[[], None]) -> None:
        if station.busy == station.servers:
            station.waiting.append((seconds, then))
            return
        station.busy += 1
        station.worked += seconds

        def end() -> None:
            station.busy -= 1
            if station.waiting:
                self._serve(station, *station.waiting.popleft())
            then()

        self._at(self._now + seconds, end)

    def _at(self, when: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._events, (when, next(self._number), act))


def simulate(load: Load, costs: Costs) -> Run:
    """Return what a run takes.

    Args:
        load: at least one document of one chunk.
        costs: processor time of its parts.
    """
    return Simulation(load, costs).run()
