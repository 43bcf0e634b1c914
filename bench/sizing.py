"""How many bulk workers use up the model's limits? The arithmetic, and a simulated run for each number.

Nothing is started and no server is needed. The simulation knows documents, items, threads, processors and
limits; what an item costs was measured (docs/operations.md, "How many workers"). What is not given is taken
from the settings.

    python bench/sizing.py --documents 100000 --rpm 600 --latency 2
    python bench/sizing.py --documents 20000 --chunks 12 --tpm 2000000 --tokens 5000 --json FILE
"""

from __future__ import annotations

import argparse

from report import keep, options
from rich.console import Console
from rich.table import Table
from rich.text import Text

from producer.planning.plan import Plan, Wanted, make_plan
from workers.settings import load_settings


def main() -> None:
    """Simulate and print."""
    arguments = vars(_arguments())
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


def _arguments() -> argparse.Namespace:
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
