"""How long a query takes over its critical path, at a fixed model latency, every server on this machine.

The critical path is plan + 3 hops + critic + synthesis, each one model call: 6 calls. The named reference is
the same steps called one after another in this process.

    python bench/query.py [--runs 5] [--latency 0.2] [--no-sequence] [--json FILE]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

from parts import processor_parts
from report import keep, latency_options, machine, summarise_times
from rich.console import Console
from rich.table import Table
from sequence import seconds_in_sequence
from tree import QUESTION, VISITS, load_tree
from world import World, started_world

from hopline import Hopline
from hopline.models.answers import Answer
from hopline.models.jobs import Json
from workers.adapters.redis.client import redis_client
from workers.services import Services
from workers.traverse.graph.flow import QUERY

CALLS_ON_PATH = 6
FACTS = (24, 70)
WARM = 240  # questions before those that count, without latency: Neo4j's compiler wants some thousand visits


def main() -> None:
    """Measure and print."""
    arguments = latency_options(__doc__, "query")
    console = Console()
    with started_world(lasting=True) as world:
        services = Services(world.settings)
        for facts in FACTS:
            load_tree(services.graph, f"tree-{facts}", facts)
        questions = _Questions(world)
        world.work("interactive", arguments.workers)
        with ThreadPoolExecutor(arguments.workers) as pool:  # as in a stack that has run for some minutes
            list(pool.map(questions.ask, FACTS * (WARM // len(FACTS))))
        world.model(chat={"latency": arguments.latency})
        rows = [_measure(questions, services, facts, arguments) for facts in FACTS]
        parts = processor_parts(world, services, f"tree-{FACTS[-1]}", rows[-1])
    report = {
        "benchmark": "query",
        "machine": machine(),
        "model_latency": arguments.latency,
        "rows": rows,
        "parts": parts,
    }
    console.print(_table(report))
    console.print(_parts_table(parts))
    keep(report, arguments.json)


@dataclass
class _Questions:
    """What questions took."""

    world: World
    walls: list[float] = field(default_factory=list)  # seconds of each question
    processor: dict[str, float] = field(default_factory=dict)  # seconds by process, of all questions
    commands: int = 0  # that Redis carried out, those within scripts included
    items: int = 0  # that these questions' jobs had

    def __post_init__(self) -> None:
        self.client = Hopline.local(self.world.settings)
        self.ledger = Services(self.world.settings).ledger
        self.redis = redis_client(self.world.environment["HOPLINE_REDIS_URL"])

    def ask(self, facts: int) -> float:
        """Ask the question once; return the seconds."""
        started = time.perf_counter()
        answer = self.client.ask(QUESTION, collection=f"tree-{facts}", strategy="graph", max_model_calls=400)
        seconds = time.perf_counter() - started
        _check(answer, facts)
        job = self.ledger.job(answer.job_id)
        self.items += sum(job.items.values()) if job else 0
        return seconds

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count the processor's time and Redis's commands."""
        before, commands = self.world.processor_seconds(), self._commands()
        yield
        self.commands += self._commands() - commands
        for name, seconds in self.world.processor_seconds().items():
            self.processor[name] = self.processor.get(name, 0.0) + seconds - before[name]

    def _commands(self) -> int:
        stats: Json = self.redis.info("commandstats")
        return sum(command["calls"] for command in stats.values())


def _measure(questions: _Questions, services: Services, facts: int, arguments: argparse.Namespace) -> Json:
    questions.ask(facts)
    questions.walls, questions.processor, questions.commands, questions.items = [], {}, 0, 0
    for _ in range(arguments.runs):
        with questions.counted():
            questions.walls.append(questions.ask(facts))
    path, items = CALLS_ON_PATH * arguments.latency, questions.items
    fields = {"question": QUESTION, "max_model_calls": 400}
    sequence = (
        None if arguments.no_sequence else seconds_in_sequence(services, QUERY, f"tree-{facts}", fields)
    )
    return {
        "facts": facts,
        "visits": VISITS,
        "items": items // arguments.runs,
        "load": round(os.getloadavg()[0], 1),
        **summarise_times(questions.walls, path, sequence),
        "cpu_ms_per_item": {
            name: round(1000 * seconds / items, 2) for name, seconds in questions.processor.items()
        },
        "redis_commands_per_item": round(questions.commands / items, 1),
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
        "items",
        "CPU ms per item",
        "Redis commands per item",
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
            str(row["items"]),
            cpu,
            f"{row['redis_commands_per_item']:.1f}",
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
