"""A plan for a reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console

    from producer.planning.plan import Plan


def print_plan(console: Console, found: Plan) -> None:
    """Print the limits, the simulated runs, how many workers are enough, and the arithmetic."""
    for limit in found.limits:
        console.print(f"{limit.name}: {limit.calls_per_second:,.2f} calls a second = {limit.arithmetic}")
    if not found.limits:
        console.print("No limit is set: the processors decide. --rpm, --tpm and --calls set one.")
    console.print(_table(found))
    console.print(Text(f"{found.processes} bulk worker process(es) are enough.", "bold"))
    for line in found.arithmetic:
        console.print(Text(line, "dim"))
    costs = found.costs
    servers = f"{costs.servers_chunk:g} ms of the servers a chunk"
    told = f"Measured: {costs.worker_item:g} ms of a worker an item, {servers} ({costs.source})."
    console.print(Text(told, "dim"))


def _table(found: Plan) -> Table:
    table = Table()
    for name in ("processes", "calls/s", "of the limit", "hours", "threads busy", "processor busy"):
        table.add_column(name, justify="right")
    for row in found.rows:
        table.add_row(
            str(row.processes),
            f"{row.calls_per_second:,.1f}",
            "" if row.of_limit is None else f"{row.of_limit:.0%}",
            f"{row.hours:,.2f}",
            f"{row.busy_threads:.0%}",
            f"{row.busy_processors:.0%}",
        )
    return table
