"""How long ten documents of one tenant take beside very many of another, and whose share follows its weight.

Each round measures ten documents alone, and ten beside a batch that has filled the queue; then that batch is
cancelled. Every document is one chunk of its own. At a weight each of 1 the ten may take twice as long as
alone where they would use all that there is, as two cores that are busy; where the model's latency is what
they wait for, they wait for some turns only.

    python bench/fairness.py [--documents 10000] [--latency 8] [--threads 48] [--rounds 3] [--json FILE]
"""

from __future__ import annotations

import argparse
import random
import secrets
import statistics
import time
from collections.abc import Callable, Mapping

from report import keep, machine, options
from rich.console import Console
from rich.table import Table
from world import started_world, submit_texts

from hopline import Hopline
from hopline.models.documents import TextDocument
from hopline.models.jobs import Json
from producer.service.service import Service
from workers.telemetry.queues import queue_depths

FEW = 10
TARGET = 1.3  # the time of the few beside the many, over their time alone
WITHIN = 0.05  # of a share
PROCESSES = 2
WEIGHTS: tuple[tuple[int, ...], ...] = ((1, 1), (3, 1), (1, 2, 5))
_TURNS = 4  # of all threads, before the few come
_MORE = 3  # times as many documents of each tenant as are counted of all: those who come first have a lead
_DOCUMENT = "ingest.document"
_DEADLINE = 1800.0  # seconds of any wait


def main() -> None:
    """Measure and print."""
    arguments = _parse_arguments()
    with started_world(lasting=True) as world:
        world.work("bulk", PROCESSES, **_limits(arguments.threads))
        service = Service(world.settings)
        with Hopline.local(world.settings) as client:
            client.ingest(_texts(4 * FEW), _collection("warm"))
            world.model(chat={"latency": arguments.latency})
            rounds = [_round(client, service, arguments) for _ in range(arguments.rounds)]
            world.model(chat={"latency": 0.0})
            shares = [_shares(service, weights, arguments) for weights in WEIGHTS if arguments.shared]
    report = _report(rounds, shares) | {
        "documents": arguments.documents,
        "latency_s": arguments.latency,
        "threads": arguments.threads,
    }
    Console().print(_table(report))
    keep(report, arguments.json)


def _limits(threads: int) -> dict[str, str]:
    return {"HOPLINE_BULK_THREADS": str(threads // PROCESSES)}


def _collection(name: str) -> str:
    return f"{name}-{secrets.token_hex(4)}"


def _texts(number: int) -> list[TextDocument]:
    """Return documents of a few sentences, none like another."""
    mark = secrets.token_hex(3)
    return [
        TextDocument(
            name=f"{mark}-{nth}.txt", text=f"Ada{mark}{nth} sailed to Sandport{nth} in {1000 + nth % 900}."
        )
        for nth in range(number)
    ]


def _round(client: Hopline, service: Service, arguments: argparse.Namespace) -> Json:
    """Return the seconds of the few alone, and beside the many."""
    alone = _timed(client)
    many = submit_texts(service, _texts(arguments.documents), _collection("many"))
    # The first ones begin together and end together; some turns later threads are free all the time.
    begun = _TURNS * arguments.threads
    broker = service.services.broker_redis
    _until(lambda: _done(service, many) >= begun and queue_depths(broker)["bulk"] > FEW)
    time.sleep(random.random() * arguments.latency)  # documents end in waves; who comes may come at any time
    beside = _timed(client)
    left = arguments.documents - _done(service, many)
    service.jobs.end(many)
    _until(lambda: _idle(service))
    if not left:
        raise SystemExit("the many were done before the few: give more with --documents")
    return {"alone_s": round(alone, 2), "beside_s": round(beside, 2), "left": left}


def _timed(client: Hopline) -> float:
    started = time.perf_counter()
    report = client.ingest(_texts(FEW), _collection("few"))
    if report.status.value != "done":
        raise SystemExit(f"the few ended {report.status.value}")
    return time.perf_counter() - started


def _shares(service: Service, weights: tuple[int, ...], arguments: argparse.Namespace) -> Json:
    """Return what share of some documents each of some tenants had, all of which had more to do.

    Who comes has a lead of its share of what workers hold (ADR 83): counted is what follows.
    """
    jobs: dict[str, int] = {}
    documents = arguments.shared
    for weight in weights:
        name = _collection("tenant")
        service.weights.set("collection", name, weight)
        jobs[submit_texts(service, _texts(_MORE * documents), name)] = weight
    _until(lambda: all(_done(service, job) >= arguments.threads for job in jobs))
    before = {job: _done(service, job) for job in jobs}
    _until(lambda: sum(_done(service, job) for job in jobs) - sum(before.values()) >= documents)
    done = {job: _done(service, job) - before[job] for job in jobs}
    if any(_done(service, job) >= _MORE * documents for job in jobs):
        raise SystemExit("a tenant was done before its share was counted")
    for job in jobs:
        service.jobs.end(job)
    _until(lambda: _idle(service))
    return _shared(jobs, done)


def _shared(jobs: Mapping[str, int], done: Mapping[str, int]) -> Json:
    total, weights = sum(done.values()), sum(jobs.values())
    shares = {job: done[job] / total for job in jobs}
    return {
        "weights": ":".join(map(str, jobs.values())),
        "shares": [round(share, 3) for share in shares.values()],
        "furthest_off": round(max(abs(shares[job] * weights / jobs[job] - 1) for job in jobs), 3),
    }


def _done(service: Service, job: str) -> int:
    return service.jobs.get(job).done.get(_DOCUMENT, 0)


def _idle(service: Service) -> bool:
    broker = service.services.broker_redis
    return not any(queue_depths(broker).values()) and not broker.hlen("unacked")


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _DEADLINE
    while not holds():
        if time.monotonic() > deadline:
            raise SystemExit("nothing goes on")
        time.sleep(0.2)


def _report(rounds: list[Json], shares: list[Json]) -> Json:
    alone = statistics.median(result["alone_s"] for result in rounds)
    beside = statistics.median(result["beside_s"] for result in rounds)
    return {
        "benchmark": "fairness",
        "machine": machine(),
        "rounds": rounds,
        "alone_s": alone,
        "beside_s": beside,
        "ratio": round(beside / alone, 2),
        "target": TARGET,
        "shares": shares,
        "wanted_within": WITHIN,
    }


def _table(report: Json) -> Table:
    title = f"{FEW} documents beside {report['documents']}, {report['latency_s']:g} s a call"
    table = Table("what", "found", "wanted", title=title)
    table.add_row("alone", f"{report['alone_s']:.2f} s", "")
    table.add_row("beside", f"{report['beside_s']:.2f} s", "")
    table.add_row("ratio", f"{report['ratio']:.2f}", f"≤ {report['target']}")
    for row in report["shares"]:
        shares = f"{' : '.join(map(str, row['shares']))} (off by {row['furthest_off']:.1%} at most)"
        table.add_row(f"shares at {row['weights']}", shares, f"within {report['wanted_within']:.0%}")
    return table


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__, "fairness")
    parser.add_argument("--documents", type=int, default=10_000, help="of the other tenant")
    parser.add_argument("--latency", type=float, default=8.0, help="seconds of each model call")
    parser.add_argument("--threads", type=int, default=48, help="of all bulk workers")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--shared", type=int, default=400, help="documents that shares are counted over; 0: none"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
