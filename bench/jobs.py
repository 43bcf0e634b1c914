"""How long filters take among very many jobs, over the service and over HTTP, and whether they find all.

Jobs lie in a Redis of their own as the ledger leaves them. Half of those that run are older than all that
have ended.

    python bench/jobs.py [--ended 100000] [--running 1000] [--json FILE]
"""

from __future__ import annotations

import logging
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import structlog
import uvicorn
from pydantic import TypeAdapter
from report import keep, machine, options

from hopline.models.jobs import JobFilter, Json, Verb
from infra.local.process import LOOPBACK, Running, free_port
from infra.local.redis_server import redis_address, redis_program
from producer.api.app import create_app
from producer.api.server import SERVER_OPTIONS
from producer.service.job_acts.acts import narrowed, wanted
from producer.service.service import Service
from workers.app import application_for
from workers.core.jobs.work import Item, Job, Phase
from workers.core.redis_keys import ACTIVE, RECENT, job_key
from workers.services import Services
from workers.settings import Settings
from workers.transport.publishers import CeleryPublisher

FIRST = 1_790_000_000.0  # seconds since the epoch; a job a second
FAILED_EVERY, TEAM_EVERY, BATCH_EVERY, COLLECTIONS = 25, 1000, 10, 30
_OUTCOME = '{"text":"' + "An answer. " * 200 + '","reason":""}'
_PIPELINE = 1000
_TIMES = 3  # of each
_WAYS = ("service", "http")


class Crowd:
    """So many jobs, and which of them a filter means."""

    def __init__(self, services: Services, ended: int, running: int) -> None:
        self._client = services.redis
        self.jobs = [self._job(number, ended, running) for number in range(ended + running)]
        self._template = self._submitted(services)

    @staticmethod
    def _job(number: int, ended: int, running: int) -> Json:
        runs = number < running // 2 or number >= ended + running // 2
        state = "running" if runs else "failed" if number % FAILED_EVERY == 0 else "done"
        return {
            "id": f"j{number:024x}",
            "kind": "batch" if number % BATCH_EVERY == 0 else "query",
            "collection": f"c{number % COLLECTIONS}",
            "tags": {"team": f"t{number % TEAM_EVERY}"},
            "state": state,
            "at": FIRST + number,
        }

    def _submitted(self, services: Services) -> dict[str, str]:
        """Return the fields of a job that the ledger has made."""
        job = Job(id="template", kind="query", collection="c")
        services.ledger.submit(job, Phase(items=(Item(id="plan", step="traverse.plan"),)))
        fields: Any = self._client.hgetall(job_key("template", "job"))
        self._client.flushdb()
        return dict(fields)

    def fill(self) -> None:
        """Put all jobs where the ledger has them."""
        for at in range(0, len(self.jobs), _PIPELINE):
            pipeline = self._client.pipeline(transaction=False)
            for job in self.jobs[at : at + _PIPELINE]:
                self._put(pipeline, job)
            pipeline.execute()

    def _put(self, pipeline: Any, job: Json) -> None:
        spec = {name: job[name] for name in ("id", "kind", "collection", "tags")}
        params = {"question": f"Who built bridge {job['id']}?", "strategy": "graph", "max_depth": 3}
        fields = {"spec": Job(**spec, params=params).model_dump_json(), "state": job["state"]}
        fields["created"] = str(round(1000 * job["at"]))
        if job["state"] == "running":
            pipeline.zadd(ACTIVE, {job["id"]: job["at"]})
        else:
            failed = f'{{"reason":"the model refused {job["id"]}"}}'
            fields |= {
                "outcome": failed if job["state"] == "failed" else _OUTCOME,
                "ended": fields["created"],
            }
        pipeline.hset(job_key(job["id"], "job"), mapping=self._template | fields)
        pipeline.zadd(RECENT, {job["id"]: job["at"]})

    def count(self, fits: Callable[[Json], bool]) -> int:
        """Return how many jobs are meant."""
        return sum(map(fits, self.jobs))


def main() -> None:
    """Print of each filter how many jobs it found, the median of three times, and the processor time."""
    parser = options(__doc__, "jobs")
    parser.add_argument("--ended", type=int, default=100_000)
    parser.add_argument("--running", type=int, default=1_000)
    arguments = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with tempfile.TemporaryDirectory(prefix="hopline-bench-") as name:
        port = free_port()
        server = Running(redis_program(Path(name) / "redis", port, "secret"), Path(name) / "redis.log")
        server.wait_ready(30)
        try:
            rows = _measured(redis_address(port, "secret"), arguments.ended, arguments.running)
        finally:
            server.kill()
    keep({"benchmark": "jobs", "machine": machine(), "ended": arguments.ended, "rows": rows}, arguments.json)


def _measured(address: str, ended: int, running: int) -> list[Json]:
    services = Services(Settings.model_validate({"redis_url": address, "history_days": 0}))
    crowd = Crowd(services, ended, running)
    crowd.fill()
    service = Service(services=services, publisher=CeleryPublisher(application_for(services.settings)))
    with _served(service) as client:
        rows = _rows(crowd, service, client)
    services.close()
    return rows


@contextmanager
def _served(service: Service) -> Iterator[httpx.Client]:
    """Serve the API in a thread of this process."""
    port = free_port()
    config = uvicorn.Config(create_app(service, loopback=True), host=LOOPBACK, port=port, **SERVER_OPTIONS)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, name="api", daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.05)
    with httpx.Client(base_url=f"http://{LOOPBACK}:{port}", timeout=300, trust_env=False) as client:
        yield client
    server.should_exit = True
    thread.join()


def _rows(crowd: Crowd, service: Service, client: httpx.Client) -> list[Json]:
    """Return what each filter took and found."""
    late = FIRST + len(crowd.jobs) - 5000
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(late))
    rows = []
    lists: list[tuple[Json, Callable[[Json], bool]]] = [
        ({"state": "failed"}, lambda job: job["state"] == "failed"),
        ({"state": "running"}, lambda job: job["state"] == "running"),
        (
            {"state": "failed", "kind": "batch"},
            lambda job: job["state"] == "failed" and job["kind"] == "batch",
        ),
        ({"tags": {"team": "t25"}}, lambda job: job["tags"]["team"] == "t25"),
        (
            {"collection": "c7", "state": "running"},
            lambda job: job["collection"] == "c7" and job["state"] == "running",
        ),
        ({"error": "REFUSED"}, lambda job: job["state"] == "failed"),
        ({"error": f"refused j{125:024x}"}, lambda _: False),
        ({"since": moment}, lambda job: job["at"] >= late),
        ({"kind": "none"}, lambda _: False),
    ]
    for meant, fits in lists:
        rows.append(_listed(service, client, meant, crowd.count(fits)))
    acts: list[tuple[Verb, Json, Callable[[Json], bool]]] = [
        ("cancel", {"kind": "query"}, lambda job: job["state"] == "running" and job["kind"] == "query"),
        ("retry", {"state": "failed"}, lambda job: job["state"] == "failed"),
        ("retry", {"kind": "batch"}, lambda job: job["state"] == "failed" and job["kind"] == "batch"),
    ]
    for verb, meant, fits in acts:
        rows.append(_acted(service, client, verb, meant, crowd.count(fits)))
    return rows


def _listed(service: Service, client: httpx.Client, meant: Json, count: int) -> Json:
    which = wanted(TypeAdapter(JobFilter).validate_python(meant))
    query = {name: value for name, value in meant.items() if name != "tags"}
    query |= {"tag": [f"{name}={value}" for name, value in meant.get("tags", {}).items()], "limit": 200}

    def over_service() -> int:
        return len(service.jobs.page(which, limit=1_000_000)[0])

    def over_http() -> int:
        total, cursor = 0, ""
        while True:
            answer = client.get("/v1/jobs", params=query | ({"cursor": cursor} if cursor else {}))
            answer.raise_for_status()
            total += len(answer.json()["jobs"])
            cursor = answer.json().get("next") or ""
            if not cursor:
                return total

    return _row(service, f"jobs {meant}", count, over_service, over_http)


def _acted(service: Service, client: httpx.Client, verb: Verb, meant: Json, count: int) -> Json:
    jobs = TypeAdapter(JobFilter).validate_python(meant)

    def over_service() -> int:
        return service.jobs.fitting(wanted(narrowed(jobs, verb)), verb).matched

    def over_http() -> int:
        answer = client.post("/v1/jobs/act", json={"verb": verb, "filter": meant, "dry_run": True})
        answer.raise_for_status()
        return int(answer.json()["matched"])

    return _row(service, f"{verb} --dry-run {meant}", count, over_service, over_http)


def _row(service: Service, what: str, count: int, *ways: Callable[[], int]) -> Json:
    """Measure, print and return; the processor time is that of this process and of Redis."""
    medians, worked = [], []
    for way in ways:
        taken = []
        work = _processor(service)
        for _ in range(_TIMES):
            begin = time.perf_counter()
            total = way()
            taken.append(time.perf_counter() - begin)
            if total != count:
                raise SystemExit(f"{what}: {total} found, there are {count}")
        medians.append(round(statistics.median(taken), 3))
        worked.append(round((_processor(service) - work) / _TIMES, 3))
    times = ", ".join(
        f"{way} {wall:.2f} s ({work:.2f})" for way, wall, work in zip(_WAYS, medians, worked, strict=True)
    )
    print(f"{what:50} {count:6} jobs, {times}", flush=True)
    named = {f"{way}_s": wall for way, wall in zip(_WAYS, medians, strict=True)}
    named |= {f"{way}_processor_s": work for way, work in zip(_WAYS, worked, strict=True)}
    return {"what": what, "jobs": count, **named}


def _processor(service: Service) -> float:
    """Return the processor time that this process and Redis have used."""
    used: Any = service.services.redis.info("cpu")
    return time.process_time() + float(used["used_cpu_user"]) + float(used["used_cpu_sys"])


if __name__ == "__main__":
    main()
