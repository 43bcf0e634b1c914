"""How long a question of four tools takes over its critical path, at a fixed model latency, all servers here.

The story of the demo is ingested with the narrative profile; the question has four parts, none of which
waits for another. The critical path is taking it apart, choosing tools, writing a statement (one of the four
tools is text2cypher), the critics side by side, and writing: 5 model calls. The named reference is the same
steps called one after another in this process.

    python bench/tools.py [--runs 5] [--latency 0.2] [--no-sequence] [--json FILE]
"""

from __future__ import annotations

import argparse
import time
from importlib.resources import as_file, files

from report import keep, latency_options, machine, summarise_times
from rich.console import Console
from rich.table import Table
from sequence import seconds_in_sequence
from world import World, started_world

from hopline import Hopline
from hopline.models.answers import Answer
from hopline.models.jobs import Json
from workers.services import Services
from workers.traverse.tools.flow import TOOLS

CALLS_ON_PATH = 5
COLLECTION = "story"
QUESTION = (
    "Who is Ilse Varn? How is Linnet connected to Old Hesk? How does Captain Roake develop over time? "
    "How many characters are there?"
)
ASKED = {"lookup_knowledge", "find_connection", "track_journey", "text2cypher"}


def main() -> None:
    """Measure and print."""
    arguments = latency_options(__doc__, "tools")
    console = Console()
    with started_world(lasting=True) as world:
        world.work("bulk")
        world.work("interactive", arguments.workers)
        with Hopline.local(world.settings) as client:
            with as_file(files("producer.demo") / "story" / "en" / "chapters") as chapters:
                client.ingest([chapters], COLLECTION, profile="narrative")
            for _ in range(arguments.workers * 3):  # connections are made, plans cached
                _check(client.ask(QUESTION, collection=COLLECTION, strategy="tools"))
            world.model(chat={"latency": arguments.latency})
            row = _measure(world, client, arguments)
    report = {"benchmark": "tools", "machine": machine(), "model_latency": arguments.latency, "rows": [row]}
    console.print(_table(report))
    keep(report, arguments.json)


def _measure(world: World, client: Hopline, arguments: argparse.Namespace) -> Json:
    path = CALLS_ON_PATH * arguments.latency
    walls, facts = [], 0
    before = world.processor_seconds()
    for _ in range(arguments.runs):
        started = time.perf_counter()
        answer = client.ask(QUESTION, collection=COLLECTION, strategy="tools")
        walls.append(time.perf_counter() - started)
        facts = _check(answer)
    after = world.processor_seconds()
    services = Services(world.settings)
    fields = {"question": QUESTION, "strategy": "tools"}
    sequence = None if arguments.no_sequence else seconds_in_sequence(services, TOOLS, COLLECTION, fields)
    return {
        "tools": len(ASKED),
        "facts": facts,
        **summarise_times(walls, path, sequence),
        "cpu_ms_per_question": {
            name: round(1000 * (after[name] - before[name]) / arguments.runs) for name in after
        },
    }


def _check(answer: Answer) -> int:
    """Return how many facts were found; end where it was not what is to be measured."""
    tools = {call["tool"] for call in answer.details.get("tools", ())}
    if answer.status != "done" or tools != ASKED or answer.details["rounds"] != 1:
        raise SystemExit(f"not the question that was made: {answer.status}, {tools}, {answer.reason}")
    facts: int = answer.details["facts"]
    return facts


def _table(report: Json) -> Table:
    latency = report["model_latency"] * 1000
    table = Table(title=f"a question of four tools at {latency:.0f} ms model latency ({report['machine']})")
    for name in ("facts", "critical path", "wall", "worst", "ratio", "one after another", "faster"):
        table.add_column(name, justify="right")
    for row in report["rows"]:
        table.add_row(
            str(row["facts"]),
            f"{row['critical_path_s']:.1f} s",
            f"{row['wall_s']:.2f} s",
            f"{row['wall_worst_s']:.2f} s",
            f"{row['over_critical_path']:.2f}",
            f"{row['one_after_another_s'] or 0:.1f} s",
            f"{row['faster_than_one_after_another'] or 0:.1f} x",
        )
    return table


if __name__ == "__main__":
    main()
