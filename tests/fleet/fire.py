"""A batch under fire: workers killed again and again, servers killed and started, and what that cost."""

from __future__ import annotations

import itertools
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import psutil

from fleet.crew import Crew, wait_until
from infra.local.process import is_ready

Blow = tuple[float, Callable[[], None]]  # at which share of the documents, what is done


@dataclass
class Fire:
    """What is done to a batch.

    Attributes:
        kills: of workers.
        in_flight: model calls whose replies a worker had not kept yet in the moment of its kill, summed.
    """

    crew: Crew
    job_id: str
    documents: int
    every: float  # seconds from one kill to the next
    threads: int  # of a worker
    blows: list[Blow]  # each once
    kills: int = 0
    in_flight: int = 0
    struck: int = 0  # blows so far
    _names: Iterator[str] = field(init=False)
    _ready: dict[str, float] = field(default_factory=dict)  # since when a worker works
    _last: float = 0.0  # kill

    def __post_init__(self) -> None:
        bulk = [name for name in self.crew.workers if name != "quarantine"]
        self._names = itertools.cycle(bulk)

    def burn(self, seconds: float) -> None:
        """Strike until the batch has ended."""
        deadline = time.monotonic() + seconds
        for name in self._names:
            assert time.monotonic() < deadline, f"{self.share():.0%} done within {seconds:g} s"
            if self.struck < len(self.blows) and self.share() >= self.blows[self.struck][0]:
                self.blows[self.struck][1]()
                self.struck += 1
            wait_until(lambda victim=name: self._is_due(victim) or self.ended(), f"{name} works", seconds)
            if self.ended():
                return
            self.kill(name)

    def _is_due(self, name: str) -> bool:
        """Tell whether the next kill is due: killing what has not worked for a while yet shows nothing."""
        now = time.monotonic()
        for worker_name, worker in self.crew.workers.items():
            if worker_name not in self._ready and is_ready(worker.program, worker.pid):
                self._ready[worker_name] = now
        return now >= self._last + self.every and now >= self._ready.get(name, now) + self.every

    def kill(self, name: str) -> None:
        """Kill a worker as it works and start it again as its supervisor would; count its calls in flight."""
        worker = self.crew.workers[name]
        os.killpg(worker.pid, signal.SIGSTOP)
        lost = self._not_kept(self._ports_of(worker.pid))
        assert lost <= self.threads, "no more than it can ask at a time"
        self.in_flight += lost
        worker.kill()
        self.kills += 1
        self._last = time.monotonic()
        self._ready.pop(name, None)
        self.crew.start(name, "bulk", wait=False)

    def _not_kept(self, ports: set[int]) -> int:
        """Count extractions asked over these connections whose replies, nonsense apart, are not kept."""
        contents = {
            call["content"]
            for call in self.crew.model.latest()
            if call["kind"] == "ExtractedFacts" and "failure" not in call and call["port"] in ports
        }
        replies = self.crew.settings.var / "blobs" / "replies"
        return sum(not any((replies / content[:3]).glob(f"{content}.*")) for content in contents)

    def _ports_of(self, pid: int) -> set[int]:
        """Return the ports of a process's connections to the model."""
        to = urlsplit(self.crew.environment["HOPLINE_MODEL_URL"]).port
        connections = psutil.Process(pid).net_connections("tcp")
        return {
            connection.laddr.port
            for connection in connections
            if connection.raddr and connection.raddr.port == to
        }

    def ended(self) -> bool:
        record = self.crew.ledger.job(self.job_id, outcome=False)
        return record is not None and record.ended is not None

    def share(self) -> float:
        record = self.crew.ledger.job(self.job_id, outcome=False)
        return record.done.get("ingest.document", 0) / self.documents if record else 0.0
