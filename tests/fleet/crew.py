"""Real worker processes on the tests' servers: started, killed as by `kill -9`, started again."""

import os
import secrets
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from doubles.keys import SHOWN
from doubles.local_client import client_of

from fleet.forks import LOST_AT, ForkedProgram, run_fork
from fleet.servers import START_SECONDS
from hopline.models.answers import Answer
from hopline.models.documents import TextDocument
from hopline.models.ingest_reports import IngestReport
from infra.local.process import Program, Running, free_port
from infra.local.redis_server import redis_address, redis_program
from producer.service.service import Service
from workers.adapters.redis.client import redis_client
from workers.core.redis_keys import job_key
from workers.ledger.ledger import Ledger
from workers.services import Services
from workers.settings import Settings

# What waits is looked after soon, and a lease outlasts what holds a process up: what a killed worker held is
# lost at once, as `Crew.kill` has it.
QUICK = {
    "HOPLINE_LEASE_SECONDS": "20",
    "HOPLINE_WATCHDOG_SECONDS": "0.3",
    "HOPLINE_RESEND_SECONDS": "1.5",
    "HOPLINE_BACKOFF_SECONDS": "0.2",
    "HOPLINE_INTERACTIVE_THREADS": "16",
    "HOPLINE_BULK_THREADS": "16",
    "HOPLINE_MODEL_CHECK": "false",  # tests count the calls of the model
}
PATIENCE = 180.0  # seconds until a wait is given up, on a machine that has other work


def wait_until(true: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """Return the first true answer; one look is after the time."""
    deadline = time.monotonic() + seconds
    is_over = False
    while not is_over:
        is_over = time.monotonic() > deadline
        if answer := true():
            return answer
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds:g} s: {what}")


class PrivateRedis:
    """A Redis of one test module, which may be killed and started again on its data."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.password = secrets.token_urlsafe(12)
        self.port = free_port()
        self.url = redis_address(self.port, self.password)
        self.start()

    def start(self) -> None:
        program = redis_program(self.folder, self.port, self.password)
        self.running = Running(program, self.folder / "redis.log")
        self.running.wait_ready(START_SECONDS)

    def kill(self) -> None:
        self.running.kill()


class ModelControl:
    """The offline model's switches.

    Args:
        url: its base URL, …/v1.
    """

    def __init__(self, url: str) -> None:
        self._base = url.removesuffix("/v1")
        self._url = self._base + "/control"

    def set(self, **switches: Any) -> None:
        """Set every switch; those not named go back to their initial values."""
        self.change(reset=True, **switches)

    def change(self, **switches: Any) -> None:
        """Set these switches and leave the rest, and what is counted."""
        httpx.post(self._url, json=switches, headers=SHOWN, timeout=60, trust_env=False).raise_for_status()

    def requests(self) -> dict[str, int]:
        """Return how many requests there were since the last `set`, per schema."""
        counts: dict[str, int] = self.shown()["requests"]
        return counts

    def asked(self, schema: str) -> int:
        return self.requests().get(schema, 0)

    def chat_calls(self) -> Counter[str]:
        """Return how many of them asked for a reply."""
        return Counter(
            {name: n for name, n in self.requests().items() if name not in ("embeddings", "texts")}
        )

    def shown(self) -> dict[str, Any]:
        """Return all that the model counts, since the last `set`."""
        counts: dict[str, Any] = httpx.get(self._url, headers=SHOWN, timeout=60, trust_env=False).json()
        return counts

    def latest(self) -> list[dict[str, Any]]:
        """Return the latest requests: when, which schema, from which port, about which text, how failed."""
        requests: list[dict[str, Any]] = httpx.get(
            self._base + "/log", headers=SHOWN, timeout=60, trust_env=False
        ).json()
        return requests


@dataclass
class Crew:
    """Workers by name, and a client of the same servers, over the API in this process."""

    environment: dict[str, str]
    folder: Path
    settings: Settings
    model: ModelControl
    server: PrivateRedis | None = None  # where no other test's workers take an item
    workers: dict[str, Running] = field(default_factory=dict)
    _queues: dict[str, str] = field(default_factory=dict)  # worker -> the queue it serves
    _started: int = 0

    def __post_init__(self) -> None:
        self.service = Service(self.settings)
        self.client = client_of(self.service)
        self.redis = redis_client(self.settings.redis_url.get_secret_value())
        self.ledger = Ledger(self.redis)

    @property
    def services(self) -> Services:
        """The adapters of the same servers."""
        return self.service.services

    def start(
        self, name: str, queue: str = "interactive", *, wait: bool = True, lost_at: str = ""
    ) -> Running:
        """Start a worker of this name, the second time as its supervisor would.

        Args:
            name: of the worker.
            queue: that it serves.
            wait: until it is ready.
            lost_at: where it is to be lost; see `fleet.forks.LOST_AT`.
        """
        self._started += 1
        self._queues[name] = queue
        log = self.folder / f"{self._started}-{name}.log"
        command = (sys.executable, "-m", "hopline", "worker", queue, "--name", name)
        program = Program(name, command, lambda _pid: '"worker.ready"' in log.read_text(encoding="utf-8"))
        environment = os.environ | self.environment | ({LOST_AT: lost_at} if lost_at else {})
        self.workers[name] = ForkedProgram(program, log, environment)
        if wait:
            self.workers[name].wait_ready(START_SECONDS)
        return self.workers[name]

    def kill(self, name: str) -> None:
        """Kill a worker as by `kill -9`; what it held is lost at once, however long leases are."""
        self.workers[name].kill()
        for key in self.redis.scan_iter(job_key("*", "lease"), count=1000):
            for item, lease in self.redis.hgetall(key).items():
                token = lease.split()[0]  # RANDOM@WORKER@HOST
                if token.split("@")[1:2] == [name]:
                    self.redis.hset(key, item, f"{token} 0")
                    self.redis.zadd(key.removesuffix("lease") + "due", {item: 0}, xx=True)

    def restart(self, name: str, *, wait: bool = True) -> None:
        """Kill a worker and start it again, as its supervisor would."""
        self.kill(name)
        self.start(name, self._queues[name], wait=wait)

    def restart_redis(self) -> None:
        """Kill the crew's own Redis and start it again on its data."""
        assert self.server is not None
        self.server.kill()
        self.server.start()

    def start_all(self, **queues: str) -> None:
        """Start workers side by side: name=queue."""
        for name, queue in queues.items():
            self.start(name, queue, wait=False)
        for name in queues:
            self.workers[name].wait_ready(START_SECONDS)

    def have(self, **queues: str) -> None:
        """Have exactly these workers running: name=queue."""
        for name in [name for name in self.workers if name not in queues]:
            self.kill(name)
            del self.workers[name]
        self.start_all(
            **{
                name: queue
                for name, queue in queues.items()
                if name not in self.workers or self.workers[name].popen.poll() is not None
            }
        )
        for name in queues:
            self.workers[name].wait_ready(START_SECONDS)

    def serve(self, queue: str) -> None:
        """Start a worker for a queue that no running one serves, without waiting for it."""
        running = [name for name, worker in self.workers.items() if worker.popen.poll() is None]
        if queue not in {self._queues[name] for name in running}:
            self.start(f"last-{queue}", queue, wait=False)

    def stop(self) -> None:
        for worker in self.workers.values():
            worker.kill()
        self.client.close()
        self.redis.close()

    def forget_replies(self) -> None:
        """Have the model asked again also about what it was asked before."""
        shutil.rmtree(self.settings.var / "blobs" / "replies", ignore_errors=True)

    def run(self, *words: str, seconds: float = PATIENCE) -> subprocess.CompletedProcess[str]:
        """Run `hopline WORDS…` as a user would."""
        return run_fork(words, os.environ | self.environment, seconds)

    def answer(self, job_id: str, seconds: float = PATIENCE) -> Answer:
        """Wait for a question's end."""
        return Answer.of(self.client.jobs.wait(job_id, timeout=seconds))

    def report(self, job_id: str, seconds: float = PATIENCE) -> IngestReport:
        """Wait for the end of a job of documents."""
        return IngestReport.of(self.client.jobs.wait(job_id, timeout=seconds))

    def ingest(
        self, sources: Path | Sequence[Path | str | TextDocument], collection: str, **intake: Any
    ) -> IngestReport:
        """Ingest files, folders and texts that must all go in."""
        named = [sources] if isinstance(sources, Path) else sources
        report = self.client.ingest(named, collection, **intake)
        assert not report.failed, report.failed
        return report


def settings_of(environment: Mapping[str, str], **own: Any) -> Settings:
    """Return the settings that a process of this environment reads, some of them changed."""
    fields: dict[str, Any] = {
        name.removeprefix("HOPLINE_").lower(): value for name, value in environment.items()
    }
    return Settings(_env_file=None, **fields | own)


def make_crew(stack_env: dict[str, str], redis_url: str, folder: Path, **settings: str) -> Crew:
    """Return a crew without workers yet, over the session's servers but with a Redis of its own."""
    own = {"HOPLINE_REDIS_URL": redis_url, "HOPLINE_VAR": str(folder / "var")}
    environment = stack_env | QUICK | own | settings
    return Crew(
        environment=environment,
        folder=folder,
        settings=settings_of(environment),
        model=ModelControl(stack_env["HOPLINE_MODEL_URL"]),
    )


@contextmanager
def private_crew(stack_env: dict[str, str], folder: Path, **settings: str) -> Iterator[Crew]:
    """Have a crew on a Redis where no other test's workers take an item, until the block is left."""
    server = PrivateRedis(folder / "redis")
    crew = make_crew(stack_env, server.url, folder / "crew", **settings)
    crew.server = server
    crew.model.set()
    yield crew
    crew.stop()
    crew.model.set()
    server.kill()
