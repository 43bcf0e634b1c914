"""How long a query takes over its critical path, at a fixed model latency, every server on this machine.

The critical path is plan + 3 hops + critic + synthesis, each one model call: 6 calls. The named references
are the same steps called one after another in this process, and workers that send every message, event and
acknowledgement by itself, in turns with those that do not.

    python bench/query.py [--runs 5] [--latency 0.2] [--no-sequence] [--json FILE]
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from parts import processor_parts
from report import keep, latency_options, machine, told_times
from rich.console import Console
from rich.table import Table
from sequence import seconds_in_sequence
from tree import QUESTION, VISITS, load_tree
from world import World, started_world

from producer.client.hopline import Hopline
from workers.adapters.redis.client import redis_client
from workers.core.answers.answer import Answer
from workers.core.jobs.work import Json
from workers.flows.graph import QUERY
from workers.services import Services

CALLS_ON_PATH = 6
FACTS = (24, 70)
BATCHED, SINGLE = "batched", "single"
WARM = 2  # questions before those that count


def main() -> None:
    """Measure and print."""
    given = latency_options(__doc__, "query")
    console = Console()
    with started_world() as world:
        services = Services(world.settings)
        for facts in FACTS:
            load_tree(services.graph, f"tree-{facts}", facts)
        ways = {
            BATCHED: _Way(world),
            SINGLE: _Way(world.beside(SINGLE, 1, HOPLINE_BROKER_BATCHING="false")),
        }
        for way in ways.values():
            way.world.work("interactive", given.workers)
        for _ in range(WARM):  # connections are made, plans cached
            for way in ways.values():
                way.ask(FACTS[0])
        world.model(chat={"latency": given.latency})
        rows = [_measure(ways, services, facts, given) for facts in FACTS]
        parts = processor_parts(world, services, f"tree-{FACTS[-1]}", rows[-1])
    report = {
        "benchmark": "query",
        "machine": machine(),
        "model_latency": given.latency,
        "rows": rows,
        "parts": parts,
    }
    console.print(_table(report))
    console.print(_ways_table(report))
    console.print(_parts_table(parts))
    keep(report, given.json)


@dataclass
class _Way:
    """Workers of one way to speak with the broker, and what questions to them took."""

    world: World
    walls: list[float] = field(default_factory=list)  # seconds of each question
    processor: dict[str, float] = field(default_factory=dict)  # seconds by process, of all questions
    commands: int = 0  # that Redis carried out, those within scripts included

    def __post_init__(self) -> None:
        self.client = Hopline(self.world.settings)
        self.redis = redis_client(self.world.environment["HOPLINE_REDIS_URL"])

    def ask(self, facts: int) -> float:
        """Ask the question once; return the seconds."""
        started = time.perf_counter()
        answer = self.client.ask(QUESTION, f"tree-{facts}", strategy="graph", max_model_calls=400)
        _check(answer, facts)
        return time.perf_counter() - started

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count the processor's time and Redis's commands."""
        before, commands = self.world.processor_seconds(), self._commands()
        yield
        self.commands += self._commands() - commands
        for name, seconds in self.world.processor_seconds().items():
            self.processor[name] = self.processor.get(name, 0.0) + seconds - before[name]

    def worker_seconds(self) -> float:
        """Return the processor seconds of this way's workers."""
        label = f"{self.world.label}interactive worker"
        return sum(seconds for name, seconds in self.processor.items() if name.startswith(label))

    def _commands(self) -> int:
        stats: Json = self.redis.info("commandstats")
        return sum(command["calls"] for command in stats.values())


def _measure(ways: dict[str, _Way], services: Services, facts: int, given: argparse.Namespace) -> Json:
    for way in ways.values():
        way.walls, way.processor, way.commands = [], {}, 0
        way.ask(facts)
    for _ in range(given.runs):
        for way in ways.values():  # in turns: both meet the same load from without
            with way.counted():
                way.walls.append(way.ask(facts))
    path = CALLS_ON_PATH * given.latency
    items = given.runs * (VISITS + facts + 3)
    asked = {"question": QUESTION, "max_model_calls": 400}
    sequence = None if given.no_sequence else seconds_in_sequence(services, QUERY, f"tree-{facts}", asked)
    batched, single = ways[BATCHED], ways[SINGLE]
    return {
        "facts": facts,
        "visits": VISITS,
        "load": round(os.getloadavg()[0], 1),
        **told_times(batched.walls, path, sequence),
        "cpu_ms_per_item": {
            name: round(1000 * seconds / items, 2)
            for name, seconds in batched.processor.items()
            if not name.startswith(SINGLE)
        },
        "ways": {name: _costs(way, path, items) for name, way in ways.items()},
        "worker_cpu_of_single": round(batched.worker_seconds() / single.worker_seconds(), 2),
    }


def _costs(way: _Way, path: float, items: int) -> Json:
    return {
        "over_critical_path": round(statistics.median(way.walls) / path, 2),
        "worker_cpu_ms_per_item": round(1000 * way.worker_seconds() / items, 2),
        "redis_commands_per_item": round(way.commands / items, 1),
    }


def _check(answer: Answer, facts: int) -> None:
    if len(answer.walk) != VISITS or answer.details["facts"] != facts:
        raise SystemExit(
            f"not the walk that was made: {len(answer.walk)} visits, {answer.details['facts']} facts"
        )


def _table(report: Json) -> Table:
    table = Table(
        title=f"query at {report['model_latency'] * 1000:.0f} ms model latency ({report['machine']})"
    )
    for name in (
        "facts",
        "visits",
        "critical path",
        "wall",
        "ratio",
        "one after another",
        "faster",
        "CPU ms per item",
    ):
        table.add_column(name, justify="right")
    for row in report["rows"]:
        cpu = "\n".join(f"{name} {ms}" for name, ms in row["cpu_ms_per_item"].items())
        table.add_row(
            str(row["facts"]),
            str(row["visits"]),
            f"{row['critical_path_s']:.1f} s",
            f"{row['wall_s']:.2f} s",
            f"{row['over_critical_path']:.2f}",
            f"{row['one_after_another_s'] or 0:.1f} s",
            f"{row['faster_than_one_after_another'] or 0:.1f} x",
            cpu,
        )
    return table


def _ways_table(report: Json) -> Table:
    table = Table(title="messages, events and acknowledgements in batches, and each by itself")
    for name in (
        "facts",
        "way",
        "ratio",
        "worker CPU ms per item",
        "of single",
        "Redis commands per item",
        "load",
    ):
        table.add_column(name, justify="right")
    for row in report["rows"]:
        for name, costs in row["ways"].items():
            table.add_row(
                str(row["facts"]),
                name,
                f"{costs['over_critical_path']:.2f}",
                f"{costs['worker_cpu_ms_per_item']:.2f}",
                f"{row['worker_cpu_of_single']:.2f}" if name == BATCHED else "",
                f"{costs['redis_commands_per_item']:.1f}",
                f"{row['load']:.1f}",
            )
    return table


def _parts_table(parts: list[Json]) -> Table:
    table = Table(title="processor milliseconds, by part")
    for name in ("part", "of a visit", "of a critic", "of the server, per item"):
        table.add_column(name, justify="left" if name == "part" else "right")
    for row in parts:
        shown = (
            "" if row[name] is None else f"{row[name]:.2f}" for name in ("visit_ms", "critic_ms", "server_ms")
        )
        table.add_row(row["part"], *shown)
    return table


if __name__ == "__main__":
    main()
