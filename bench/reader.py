"""How long a reader query takes over its longest path, at a fixed model latency, all servers on this machine.

The critical path is plan + scores of the starts + the calls of the longest path + critic + reasoning, one
model call each. The named reference is the same steps called one after another in this process.

    python bench/reader.py [--runs 5] [--latency 0.2] [--no-sequence] [--json FILE]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence

import psutil
from report import keep, latency_options, machine
from rich.console import Console
from rich.table import Table
from sequence import seconds_in_sequence
from tree import HALLS, QUESTION, load_tree
from world import World, started_world

from hopline import Hopline
from hopline.models.answers import Answer
from hopline.models.jobs import Json
from workers.services import Services
from workers.traverse.reader.flow import READER

CALLS_BESIDE_PATH = 4  # plan, scores of the starts, critic, reasoning
FACTS = (24, 70)
TARGET = 1.4  # times the critical path
WARM = 5  # questions at no latency, for what Neo4j and the workers do only in the beginning


def main() -> None:
    """Measure and print."""
    arguments = latency_options(__doc__, "reader")
    with started_world() as world:
        services = Services(world.settings)
        world.work("bulk")
        client = Hopline.local(world.settings)
        for facts in FACTS:
            load_tree(services.graph, f"tree-{facts}", facts)
            client.jobs.wait(client.collections.reindex(f"tree-{facts}").id)
        world.running.pop("bulk worker 1").stop()
        world.work("interactive", arguments.workers)
        for facts in FACTS * WARM:
            _ask(client, facts)
        world.model(chat={"latency": arguments.latency})
        rows = [_measure(world, client, services, facts, arguments) for facts in FACTS]
    report = {
        "benchmark": "reader",
        "machine": machine(),
        "model_latency": arguments.latency,
        "target": TARGET,
        "rows": rows,
    }
    Console().print(_table(report))
    keep(report, arguments.json)


def _ask(client: Hopline, facts: int) -> Answer:
    answer = client.ask(QUESTION, collection=f"tree-{facts}", strategy="reader", max_model_calls=400)
    if len(answer.details.get("starts", ())) != len(HALLS) or not answer.details["facts"]:
        raise SystemExit(f"not the paths that were made: {answer.status}, {answer.reason}")
    return answer


def _timed(client: Hopline, facts: int) -> tuple[float, Answer]:
    started = time.perf_counter()
    answer = _ask(client, facts)
    return time.perf_counter() - started, answer


def _critical_path(arguments: argparse.Namespace, calls: Sequence[int]) -> float:
    """Return the seconds of the longest path's calls, and of those before and after it."""
    latency: float = arguments.latency
    return latency * (CALLS_BESIDE_PATH + max(calls))


def _measure(
    world: World, client: Hopline, services: Services, facts: int, arguments: argparse.Namespace
) -> Json:
    _ask(client, facts)
    before, busy = world.processor_seconds(), _busy_seconds()
    runs = [_timed(client, facts) for _ in range(arguments.runs)]
    after, busy = world.processor_seconds(), _busy_seconds() - busy
    walls = sorted(wall for wall, _answer in runs)
    others = busy - sum(after.values()) + sum(before.values())
    # Which path reads what they could all read differs from run to run, and so does the longest.
    ratios = [wall / _critical_path(arguments, _path_calls(client, answer)) for wall, answer in runs]
    answer = runs[-1][1]
    calls = _path_calls(client, answer)
    actions = len(answer.details["actions"])
    items = arguments.runs * (actions + answer.details["facts"] + 3)
    fields = {"question": QUESTION, "max_model_calls": 400, "strategy": "reader"}
    sequence = (
        None if arguments.no_sequence else seconds_in_sequence(services, READER, f"tree-{facts}", fields)
    )
    wall = statistics.median(walls)
    return {
        "facts_in_graph": facts,
        "facts_scored": answer.details["facts"],
        "paths": len(calls),
        "actions": actions,
        "calls_of_paths": calls,
        "critical_path_s": round(_critical_path(arguments, calls), 3),
        "wall_s": round(wall, 3),
        "wall_worst_s": round(walls[-1], 3),
        "over_critical_path": round(statistics.median(ratios), 2),
        "over_critical_path_worst": round(max(ratios), 2),
        "one_after_another_s": sequence and round(sequence, 2),
        "faster_than_one_after_another": sequence and round(sequence / wall, 1),
        "cpu_ms_per_item": {name: round(1000 * (after[name] - before[name]) / items, 2) for name in after},
        # Of all cores; the figures are worth something where it is small. This process's part is in it.
        "share_of_cores_used_by_others": round(others / (psutil.cpu_count() or 1) / sum(walls), 2),
        "seconds_per_step": {name: round(seconds, 3) for name, seconds in answer.timings.items()},
    }


def _busy_seconds() -> float:
    """Return the processor time that the whole machine has used so far."""
    times = psutil.cpu_times()
    return float(times.user + times.system + times.nice)


def _path_calls(client: Hopline, answer: Answer) -> list[int]:
    """Return the model calls of each path, by its number."""
    ended = {
        event.data["path"]: event.data["calls"]
        for event in client.jobs.events(answer.job_id)
        if event.name == "path.ended"
    }
    return [ended[path] for path in sorted(ended)]


def _table(report: Json) -> Table:
    table = Table(
        title=f"reader at {report['model_latency'] * 1000:.0f} ms model latency ({report['machine']})"
    )
    for name in (
        "facts",
        "calls of the paths",
        "critical path",
        "wall",
        "ratio (target 1.4)",
        "one after another",
        "faster",
        "others' CPU",
        "CPU ms per item",
    ):
        table.add_column(name, justify="right")
    for row in report["rows"]:
        cpu = "\n".join(f"{name} {ms}" for name, ms in row["cpu_ms_per_item"].items())
        table.add_row(
            str(row["facts_scored"]),
            ", ".join(map(str, row["calls_of_paths"])),
            f"{row['critical_path_s']:.1f} s",
            f"{row['wall_s']:.2f} s",
            f"{row['over_critical_path']:.2f}",
            f"{row['one_after_another_s'] or 0:.1f} s",
            f"{row['faster_than_one_after_another'] or 0:.1f} x",
            f"{row['share_of_cores_used_by_others']:.0%}",
            cpu,
        )
    return table


if __name__ == "__main__":
    main()
