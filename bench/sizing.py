"""How many bulk workers use up the model's limits? The arithmetic, and a simulated run for each number.

Nothing is started and no server is needed. The simulation knows documents, items, threads, processors and
limits; what an item costs was measured (docs/operations.md, "How many workers"). What is not given is taken
from the settings.

    python bench/sizing.py --documents 100000 --rpm 600 --latency 2
    python bench/sizing.py --documents 20000 --chunks 12 --tpm 2000000 --tokens 5000 --json FILE
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator

from pydantic import Field
from report import keep, options
from rich.console import Console
from rich.table import Table
from rich.text import Text
from simulation import ITEMS_OF_DOCUMENT, MEASURED, Costs, Load, simulate

from hopline.models.base import Frozen
from producer.estimate.factors import USED_OF_MINUTE
from workers.settings import Settings, load_settings

_PROCESSES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
_SIMULATED = 1_500  # documents; what is more is drawn on from the middle of the run
_ENOUGH = 0.97  # of what the limits allow
_BETTER = 1.03  # than with fewer processes, or more of them are no use


class Wanted(Frozen):
    """What is to be ingested, and what may be used."""

    documents: int = Field(ge=1)
    chunks: float = Field(ge=1)  # of a document, on average
    latency: float = Field(ge=0)  # seconds of a chat call
    rpm: int | None = None
    tpm: int | None = None
    tokens: float = 5_000.0  # of one call, as the endpoint's token limit counts them
    calls: int | None = None  # in flight, of all workers
    interactive_share: float = 0.25  # of the calls in flight: left free for questions
    threads: int = 64  # of one bulk process
    calls_of_process: int = 64
    window: int = 200
    cores: int | None = None  # of one machine that everything runs on; None: servers are elsewhere

    @classmethod
    def of(cls, settings: Settings, **overrides: float | None) -> Wanted:
        """Return what is wanted, with what the settings say of all that is not given."""
        known = {
            "rpm": settings.model_rpm,
            "tpm": settings.model_tpm,
            "calls": settings.model_calls_cluster,
            "interactive_share": settings.interactive_share,
            "threads": settings.bulk_threads,
            "calls_of_process": settings.model_calls,
            "window": settings.documents_in_flight,
        }
        return cls.model_validate(
            known | {name: value for name, value in overrides.items() if value is not None}
        )


class Limit(Frozen):
    """What one limit allows."""

    name: str
    calls_per_second: float
    arithmetic: str


class Row(Frozen):
    """A run with so many processes."""

    processes: int
    calls_per_second: float
    hours: float
    of_limit: float | None  # share of what the limits allow; None where there are none
    busy_threads: float
    busy_processors: float


class Plan(Frozen):
    """How many bulk workers, and why."""

    wanted: Wanted
    limits: tuple[Limit, ...]  # the tightest first
    rows: tuple[Row, ...]
    processes: int  # that are enough
    arithmetic: tuple[str, ...]
    costs: Costs


def make_plan(wanted: Wanted, costs: Costs = MEASURED) -> Plan:
    """Return how many bulk worker processes use the limits up, by simulating more and more of them.

    Args:
        wanted: documents, limits, and what a process has.
        costs: processor time of ingestion's parts.
    """
    limits = tuple(sorted(_limits(wanted), key=lambda limit: limit.calls_per_second))
    rows = tuple(_rows(wanted, limits, costs))
    best = max(row.calls_per_second for row in rows)
    enough = next(row for row in rows if row.calls_per_second * _BETTER >= best)
    return Plan(
        wanted=wanted,
        limits=limits,
        rows=rows,
        processes=enough.processes,
        arithmetic=tuple(_arithmetic(wanted, limits, costs, best)),
        costs=costs,
    )


def _limits(wanted: Wanted) -> Iterator[Limit]:
    if wanted.rpm:
        arithmetic = f"{wanted.rpm:,} / 60 s x {USED_OF_MINUTE:.3f}"
        yield Limit(name="requests", calls_per_second=USED_OF_MINUTE * wanted.rpm / 60, arithmetic=arithmetic)
    if wanted.tpm:
        per_second = USED_OF_MINUTE * wanted.tpm / 60 / wanted.tokens
        arithmetic = f"{wanted.tpm:,} / 60 s x {USED_OF_MINUTE:.3f} / {wanted.tokens:,.0f} tokens a call"
        yield Limit(name="tokens", calls_per_second=per_second, arithmetic=arithmetic)
    free = allowed_calls(wanted)
    if free and wanted.latency:
        arithmetic = f"{free} calls / {wanted.latency:g} s"
        yield Limit(name="calls in flight", calls_per_second=free / wanted.latency, arithmetic=arithmetic)


def allowed_calls(wanted: Wanted) -> int | None:
    """Return how many calls documents may have in flight; None where that is not limited."""
    if wanted.calls is None:
        return None
    return max(1, math.floor(wanted.calls * (1 - wanted.interactive_share)))


def _rows(wanted: Wanted, limits: tuple[Limit, ...], costs: Costs) -> Iterator[Row]:
    before = 0.0
    for processes in _PROCESSES:
        row = _row(wanted, processes, limits, costs)
        yield row
        enough = row.of_limit is not None and row.of_limit >= _ENOUGH
        if enough or row.calls_per_second < before * _BETTER:
            return
        before = row.calls_per_second


def _row(wanted: Wanted, processes: int, limits: tuple[Limit, ...], costs: Costs) -> Row:
    chunks = max(1, round(wanted.chunks))
    documents = min(wanted.documents, max(_SIMULATED // chunks, 2 * wanted.window))
    own = processes * wanted.calls_of_process
    shared = allowed_calls(wanted)
    rate = min((limit.calls_per_second for limit in limits if limit.name != "calls in flight"), default=None)
    run = simulate(
        Load(
            documents=documents,
            chunks=chunks,
            latency=wanted.latency,
            processes=processes,
            threads=wanted.threads,
            calls=own if shared is None else min(own, shared),
            window=wanted.window,
            calls_per_second=rate,
            cores=wanted.cores,
        ),
        costs,
    )
    rest = max(0, wanted.documents * wanted.chunks - documents * chunks)
    seconds = run.seconds + rest / run.chunks_per_second
    allowed = limits[0].calls_per_second if limits else None
    return Row(
        processes=processes,
        calls_per_second=run.chunks_per_second,
        hours=seconds / 3600,
        of_limit=run.chunks_per_second / allowed if allowed else None,
        busy_threads=run.busy_threads,
        busy_processors=run.busy_processors,
    )


def _arithmetic(wanted: Wanted, limits: tuple[Limit, ...], costs: Costs, best: float) -> Iterator[str]:
    rate = min(best, limits[0].calls_per_second) if limits else best
    flying = rate * wanted.latency
    yield f"calls in flight = {rate:,.1f} calls a second x {wanted.latency:g} s = {flying:,.1f}"
    most = min(wanted.threads, wanted.calls_of_process)
    yield f"processes for these = {flying:,.1f} / {most} = {math.ceil(flying / most) or 1}"
    items = 1 + ITEMS_OF_DOCUMENT / wanted.chunks
    worker = rate * items * costs.worker_item / 1000
    yield (
        f"processor of the workers = {rate:,.1f} x {items:,.1f} items x {costs.worker_item:g} ms "
        f"= {worker:,.2f} cores, of which a process uses one at most"
    )
    servers = rate * (costs.servers_chunk + costs.servers_document / wanted.chunks) / 1000
    yield f"processor of Neo4j, Redis and vectors = {servers:,.2f} cores"


def main() -> None:
    """Simulate and print."""
    arguments = vars(_parse_arguments())
    file = arguments.pop("json")
    plan = make_plan(Wanted.of(load_settings(), **arguments))
    _print(Console(), plan)
    keep(plan.model_dump(mode="json"), file)


def _print(console: Console, plan: Plan) -> None:
    """Print the limits, the simulated runs, how many workers are enough, and the arithmetic."""
    for limit in plan.limits:
        console.print(f"{limit.name}: {limit.calls_per_second:,.2f} calls a second = {limit.arithmetic}")
    if not plan.limits:
        console.print("No limit is set: the processors decide. --rpm, --tpm and --calls set one.")
    console.print(_table(plan))
    console.print(Text(f"{plan.processes} bulk worker process(es) are enough.", "bold"))
    costs = plan.costs
    measured = (
        f"Measured: {costs.worker_item:g} ms of a worker an item, "
        f"{costs.servers_chunk:g} ms of the servers a chunk ({costs.source})."
    )
    for line in (*plan.arithmetic, measured):
        console.print(Text(line, "dim"))


def _table(plan: Plan) -> Table:
    table = Table()
    for name in ("processes", "calls/s", "of the limit", "hours", "threads busy", "processor busy"):
        table.add_column(name, justify="right")
    for row in plan.rows:
        table.add_row(
            str(row.processes),
            f"{row.calls_per_second:,.1f}",
            "" if row.of_limit is None else f"{row.of_limit:.0%}",
            f"{row.hours:,.2f}",
            f"{row.busy_threads:.0%}",
            f"{row.busy_processors:.0%}",
        )
    return table


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument("--documents", type=int, required=True)
    parser.add_argument("--rpm", type=int, help="requests a minute")
    parser.add_argument("--tpm", type=int, help="tokens a minute")
    parser.add_argument("--calls", type=int, help="calls in flight, of all workers")
    parser.add_argument("--latency", type=float, default=2.0, help="seconds of one call")
    parser.add_argument("--chunks", type=float, default=2.0, help="of a document; `hopline estimate` says")
    parser.add_argument("--tokens", type=float, default=5000.0, help="of a call, as the endpoint counts them")
    parser.add_argument("--cores", type=int, help="of one machine that everything runs on, servers too")
    return parser.parse_args()


if __name__ == "__main__":
    main()
