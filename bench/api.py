"""What the API takes for itself: 50 clients, 500 questions, a model that answers at once.

First no worker runs, so that what is measured is the API alone: submits per second, and what one takes,
against the named reference, the Python client over the broker from as many threads in the same run. Then two
workers take what waits, while the clients wait for their answers over HTTP and read them; every one has to
come. Times are those of clients, connections kept.

    python bench/api.py [--clients 50] [--questions 500] [--json FILE]
"""

from __future__ import annotations

import http.client
import json
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from report import keep, machine, options
from rich.console import Console
from rich.table import Table
from tree import load_tree
from world import World, started_world

from infra.local.process import free_port
from infra.local.work import api_address, api_program
from producer.client.hopline import Hopline
from workers.core.jobs.work import Json
from workers.services import Services

COLLECTION = "tree-24"
QUESTION = "Who is the hub of the tree?"


def main() -> None:
    """Measure and print."""
    parser = options(__doc__, "api")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--questions", type=int, default=500)
    given = parser.parse_args()
    with started_world() as world:
        load_tree(Services(world.settings).graph, COLLECTION, 24)
        port = free_port()
        world.start(api_program(port), "api", {"HOPLINE_API_JOBS_IN_FLIGHT": "100000"})
        world.running["api"].wait_ready(60)
        report = {
            "benchmark": "api",
            "machine": machine(),
            "clients": given.clients,
            "questions": given.questions,
            "rows": _measure(world, api_address(port), given.clients, given.questions),
        }
    Console().print(_table(report))
    keep(report, given.json)


def _measure(world: World, address: str, clients: int, questions: int) -> list[Json]:
    spread = _Clients(address, clients)
    spread.run(_get("/v1/about"), clients)  # connections are made
    submitted, seconds = spread.run(_submit, questions)
    jobs = [answer["id"] for answer, _ in submitted]
    rows = [_row("submit, no worker", [took for _, took in submitted], seconds)]
    read, seconds = spread.run(lambda caller, n: _get(f"/v1/jobs/{jobs[n]}")(caller, n), questions)
    rows.append(_row("read a job, no worker", [took for _, took in read], seconds))
    rows.append(_reference(world, clients, questions))
    world.work("interactive", 2)
    started = time.perf_counter()
    ended, _ = spread.run(lambda caller, n: _until_ended(caller, jobs[n]), questions)
    _check([answer for answer, _ in ended])
    print(f"all {questions} answered in {time.perf_counter() - started:.1f} s by two workers")
    again, seconds = spread.run(_submit, questions)
    rows.append(_row("submit, two workers busy", [took for _, took in again], seconds))
    more = [answer["id"] for answer, _ in again]
    ended, _ = spread.run(lambda caller, n: _until_ended(caller, more[n]), questions)
    _check([answer for answer, _ in ended])
    reference = rows[2]["per_second"]
    return [row | {"of_reference": round(row["per_second"] / reference, 2)} for row in rows]


def _reference(world: World, clients: int, questions: int) -> Json:
    """Submit as many questions with the Python client over the broker."""
    with Hopline(world.settings) as client, ThreadPoolExecutor(clients) as threads:

        def submit(number: int) -> float:
            started = time.perf_counter()
            client.submit_question(f"{QUESTION} {number}", COLLECTION, strategy="graph", key=f"r{number}")
            return time.perf_counter() - started

        list(threads.map(submit, range(-clients, 0)))
        started = time.perf_counter()
        took = list(threads.map(submit, range(questions)))
        return _row("reference: submit over the broker", took, time.perf_counter() - started)


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
            found = dict(one for many in threads.map(share, range(count)) for one in many)
        return [found[n] for n in range(times)], time.perf_counter() - started


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


def _get(path: str) -> Work:
    return lambda caller, _n: _call(caller, "GET", path)


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


def _row(what: str, took: Sequence[float], seconds: float) -> Json:
    percentile = partial(statistics.quantiles, sorted(took), n=100)()
    return {
        "what": what,
        "p50_ms": round(1000 * percentile[49], 1),
        "p95_ms": round(1000 * percentile[94], 1),
        "per_second": round(len(took) / seconds, 1),
    }


def _table(report: Json) -> Table:
    title = f"{report['clients']} clients, {report['questions']} questions ({report['machine']})"
    table = Table("", "p50", "p95", "per second", "of the reference", title=title)
    for row in report["rows"]:
        times = (f"{row['p50_ms']:.1f} ms", f"{row['p95_ms']:.1f} ms")
        table.add_row(row["what"], *times, f"{row['per_second']:.0f}", f"{row['of_reference']:.2f}")
    return table


if __name__ == "__main__":
    main()
