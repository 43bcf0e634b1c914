"""Does `bench/sizing.py` say what happens? The same run sized, simulated, and measured against a limit.

Bulk workers ingest documents of two chunks through a limit of requests a minute, which the offline model
enforces at its door; the plan gets nothing but the numbers that a user would give.

    python bench/plan.py [--rpm 600] [--documents 300] [--workers 2] [--latency 1] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import secrets
import time
from pathlib import Path

from report import keep, machine, options
from rich.console import Console
from simulation import MEASURED, Load, simulate
from sizing import Wanted, make_plan
from world import World, started_world

from producer.client.hopline import Hopline
from workers.core.jobs.work import Json

CHUNKS = 2
_WARM = 4  # documents


def main() -> None:
    """Measure and print."""
    given = _arguments()
    with started_world() as world:
        measured = _measure(world, given)
    plan = make_plan(
        Wanted(documents=given.documents, chunks=CHUNKS, latency=given.latency, rpm=given.rpm, cores=2)
    )
    simulated = simulate(
        Load(
            documents=given.documents,
            chunks=CHUNKS,
            latency=given.latency,
            processes=given.workers,
            threads=64,
            calls=64 * given.workers,
            window=200,
            calls_per_second=plan.limits[0].calls_per_second,
            cores=2,
            offline_model=True,
        ),
        MEASURED,
    )
    report: Json = {
        "benchmark": "plan",
        "machine": machine(),
        "rpm": given.rpm,
        "documents": given.documents,
        "workers": given.workers,
        "latency_s": given.latency,
        "planned_processes": plan.processes,
        "measured_s": round(measured, 1),
        "simulated_s": round(simulated.seconds, 1),
        "simulated_over_measured": round(simulated.seconds / measured, 3),
    }
    Console().print_json(json.dumps(report))
    keep(report, given.json)


def _measure(world: World, given: argparse.Namespace) -> float:
    world.work("bulk", given.workers, HOPLINE_MODEL_RPM=str(given.rpm))
    client = Hopline(world.settings)
    client.ingest([_documents(world, _WARM)], f"warm-{secrets.token_hex(4)}")
    world.model(reset=True, chat={"latency": given.latency}, chat_limits={"rpm": given.rpm, "punish": 5.0})
    folder = _documents(world, given.documents)
    began = time.perf_counter()
    report = client.ingest([folder], f"bench-{secrets.token_hex(4)}")
    seconds = time.perf_counter() - began
    chunks = sum(document.chunks for document in report.documents)
    if report.status != "done" or chunks != CHUNKS * given.documents:
        raise SystemExit(f"{report.status}, {chunks} chunks instead of {CHUNKS * given.documents}")
    return seconds


def _documents(world: World, count: int) -> Path:
    """Write documents of two long paragraphs, each of which becomes one chunk; no two are alike."""
    folder = world.folder / secrets.token_hex(4)
    folder.mkdir()
    for number in range(count):
        name = f"{folder.name}{number}"
        told = " ".join(
            f"Harbour {name}-{one} was opened by Maren Holt in {1500 + one}." for one in range(22)
        )
        again = " ".join(f"Lighthouse {name}-{one} was built of slate in {1700 + one}." for one in range(22))
        (folder / f"{number:05}.txt").write_text(f"{told}\n\n{again}\n", encoding="utf-8")
    return folder


def _arguments() -> argparse.Namespace:
    parser = options(__doc__, "plan")
    parser.add_argument("--rpm", type=int, default=600)
    parser.add_argument("--documents", type=int, default=300)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--latency", type=float, default=1.0, help="seconds of a call")
    return parser.parse_args()


if __name__ == "__main__":
    main()
