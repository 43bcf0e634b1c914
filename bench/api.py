"""What the API takes for itself: 50 clients, 500 questions, a model that answers at once.

First no worker runs, so that what is measured is the API alone: submits per second, and what one takes,
against the named reference, the Python client over the broker from as many threads in the same run, and
against the floor, a server of the same make whose route does nothing. The three take turns, round by round;
the first round makes connections and warms each of them, and of the others the median is printed. Then, from
an empty Redis, two workers take what waits, while the clients wait for their answers over HTTP and read them;
every one has to come. Times are those of clients, connections kept.

    python bench/api.py [--clients 50] [--questions 500] [--rounds 5] [--json FILE]
"""

from __future__ import annotations

import http.client
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from report import keep, machine, options
from rich.console import Console
from rich.table import Table
from tree import load_tree
from world import World, started_world

from hopline.models.jobs import Json
from infra.local.process import Program, free_port, port_open
from infra.local.work import api_address, api_program
from producer.service.service import Service
from workers.services import Services

COLLECTION = "tree-24"
QUESTION = "Who is the hub of the tree?"


def main() -> None:
    """Measure and print."""
    parser = options(__doc__, "api")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5, help="after one that warms")
    arguments = parser.parse_args()
    with started_world() as world:
        load_tree(Services(world.settings).graph, COLLECTION, 24)
        port = free_port()
        world.start(api_program(port), "api", {"HOPLINE_API_JOBS_IN_FLIGHT": "100000"})
        world.running["api"].wait_ready(60)
        report = {
            "benchmark": "api",
            "machine": machine(),
            "clients": arguments.clients,
            "questions": arguments.questions,
            "rounds": arguments.rounds,
            "rows": _measure(
                world, api_address(port), arguments.clients, arguments.questions, arguments.rounds
            ),
        }
    Console().print(_table(report))
    keep(report, arguments.json)


def _measure(world: World, address: str, clients: int, questions: int, rounds: int) -> list[Json]:
    spread, used = _Clients(address, clients), partial(_used, world, "api")
    each: list[list[Json]] = []
    service = Service(world.settings)
    with (
        ThreadPoolExecutor(clients) as threads,
        _bare_route(world) as floor,
    ):
        bare = _Clients(floor, clients)
        for number in range(rounds + 1):
            before = used()
            submitted, seconds = spread.run(_submit, questions)
            rows = [_row("submit, no worker", [took for _, took in submitted], seconds, used() - before)]
            jobs, before = [answer["id"] for answer, _ in submitted], used()
            read, seconds = spread.run(_read(jobs), questions)
            rows.append(_row("read a job, no worker", [took for _, took in read], seconds, used() - before))
            rows.append(_reference(service, threads, questions, number))
            before = _used(world, "bare route")
            nothing, seconds = bare.run(_submit, questions)
            idle = _used(world, "bare route") - before
            rows.append(_row("floor: a route that does nothing", [t for _, t in nothing], seconds, idle))
            each.append(rows)
    rows = [_median(row) for row in zip(*each[1:], strict=True)]
    Services(world.settings).redis.flushdb()
    jobs = [answer["id"] for answer, _ in spread.run(_submit, questions)[0]]
    world.work("interactive", 2)
    spread = _Clients(address, clients)  # a connection is closed that nobody uses for long
    started = time.perf_counter()
    ended, _ = spread.run(lambda caller, n: _until_ended(caller, jobs[n]), questions)
    _check([answer for answer, _ in ended])
    print(f"all {questions} answered in {time.perf_counter() - started:.1f} s by two workers")
    before = used()
    again, seconds = spread.run(_submit, questions)
    rows.append(_row("submit, two workers busy", [took for _, took in again], seconds, used() - before))
    more = [answer["id"] for answer, _ in again]
    ended, _ = spread.run(lambda caller, n: _until_ended(caller, more[n]), questions)
    _check([answer for answer, _ in ended])
    reference = rows[2]["per_second"]
    return [row | {"of_reference": round(row["per_second"] / reference, 2)} for row in rows]


def _median(rows: Sequence[Json]) -> Json:
    return {
        name: value if isinstance(value, str) else round(statistics.median(row[name] for row in rows), 2)
        for name, value in rows[0].items()
    }


def _reference(service: Service, threads: ThreadPoolExecutor, questions: int, round_number: int) -> Json:
    """Submit as many questions without the API, over the broker."""

    def submit(number: int) -> float:
        key, started = f"r{round_number}-{number}", time.perf_counter()
        params = service.questions.check(f"{QUESTION} {number}", [COLLECTION], {"strategy": "graph"})
        service.submit("query", COLLECTION, params, key=key)
        return time.perf_counter() - started

    started, before = time.perf_counter(), time.process_time()
    took = list(threads.map(submit, range(questions)))
    seconds = time.perf_counter() - started
    return _row("reference: submit over the broker", took, seconds, time.process_time() - before)


@contextmanager
def _bare_route(world: World) -> Iterator[str]:
    """Start a server whose route does nothing, and yield its address."""
    port = free_port()
    command = (sys.executable, str(Path(__file__).with_name("bare_route.py")), str(port))
    world.start(Program("bare route", command, lambda _pid: port_open(port)), "bare route")
    world.running["bare route"].wait_ready(60)
    yield api_address(port)
    world.running.pop("bare route").kill()


def _used(world: World, name: str) -> float:
    """Return the seconds of processor time that a server has used."""
    return world.processor_seconds()[name]


Caller = http.client.HTTPConnection
Work = Callable[[Caller, int], tuple[Any, float]]


class _Clients:
    """Threads, each with a connection of its own."""

    def __init__(self, address: str, clients: int) -> None:
        place = urlsplit(address)
        self._callers = [Caller(place.hostname or "", place.port, timeout=120) for _ in range(clients)]

    def run(self, work: Work, times: int) -> tuple[list[tuple[Any, float]], float]:
        """Do a piece of work so many times, spread over all; return what each brought, and all seconds."""
        count = len(self._callers)

        def share(number: int) -> list[tuple[int, tuple[Any, float]]]:
            return [(n, work(self._callers[number], n)) for n in range(number, times, count)]

        started = time.perf_counter()
        with ThreadPoolExecutor(count) as threads:
            results = dict(pair for many in threads.map(share, range(count)) for pair in many)
        return [results[n] for n in range(times)], time.perf_counter() - started


def _call(caller: Caller, method: str, path: str, body: Json | None = None) -> tuple[Any, float]:
    sent = json.dumps(body).encode() if body is not None else None
    started = time.perf_counter()
    caller.request(method, path, sent, {"Content-Type": "application/json"})
    answer = caller.getresponse()
    data = answer.read()
    took = time.perf_counter() - started
    if answer.status >= 400:
        raise SystemExit(f"{method} {path}: {answer.status} {data[:300]!r}")
    return json.loads(data), took


def _read(jobs: Sequence[str]) -> Work:
    return lambda caller, n: _call(caller, "GET", f"/v1/jobs/{jobs[n]}")


def _submit(caller: Caller, number: int) -> tuple[Any, float]:
    body = {"question": f"{QUESTION} {number}", "collection": COLLECTION, "strategy": "graph"}
    return _call(caller, "POST", "/v1/queries", body)


def _until_ended(caller: Caller, job: str) -> tuple[Any, float]:
    while True:
        answer, took = _call(caller, "GET", f"/v1/jobs/{job}?wait=60")
        if answer["ended"] is not None:
            return answer, took


def _check(jobs: Sequence[Json]) -> None:
    wrong = [job["id"] for job in jobs if job["state"] not in {"done", "abstained"}]
    if wrong:
        raise SystemExit(f"{len(wrong)} questions ended otherwise, such as {wrong[0]}")


def _row(what: str, took: Sequence[float], seconds: float, used: float) -> Json:
    """Return a row of the report.

    Args:
        what: was done.
        took: seconds of each.
        seconds: of all.
        used: seconds of processor time, of the server or, of the reference, of this process.
    """
    percentile = partial(statistics.quantiles, sorted(took), n=100)()
    return {
        "what": what,
        "p50_ms": round(1000 * percentile[49], 1),
        "p95_ms": round(1000 * percentile[94], 1),
        "per_second": round(len(took) / seconds, 1),
        "processor_ms": round(1000 * used / len(took), 2),
    }


def _table(report: Json) -> Table:
    title = (
        f"{report['clients']} clients, {report['questions']} questions, "
        f"median of {report['rounds']} rounds ({report['machine']})"
    )
    table = Table("", "p50", "p95", "per second", "of the reference", "processor of each", title=title)
    for row in report["rows"]:
        times = (f"{row['p50_ms']:.1f} ms", f"{row['p95_ms']:.1f} ms")
        used = f"{row['processor_ms']:.2f} ms"
        table.add_row(row["what"], *times, f"{row['per_second']:.0f}", f"{row['of_reference']:.2f}", used)
    return table


if __name__ == "__main__":
    main()
