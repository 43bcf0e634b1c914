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

from hopline import Hopline
from hopline.models.jobs import Json

CHUNKS = 2
_WARM = 4  # documents


def main() -> None:
    """Measure and print."""
    flags = _parse_arguments()
    with started_world() as world:
        measured = _measure(world, flags)
    plan = make_plan(
        Wanted(documents=flags.documents, chunks=CHUNKS, latency=flags.latency, rpm=flags.rpm, cores=2)
    )
    simulated = simulate(
        Load(
            documents=flags.documents,
            chunks=CHUNKS,
            latency=flags.latency,
            processes=flags.workers,
            threads=64,
            calls=64 * flags.workers,
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
        "rpm": flags.rpm,
        "documents": flags.documents,
        "workers": flags.workers,
        "latency_s": flags.latency,
        "planned_processes": plan.processes,
        "measured_s": round(measured, 1),
        "simulated_s": round(simulated.seconds, 1),
        "simulated_over_measured": round(simulated.seconds / measured, 3),
    }
    Console().print_json(json.dumps(report))
    keep(report, flags.json)


def _measure(world: World, flags: argparse.Namespace) -> float:
    world.work("bulk", flags.workers, HOPLINE_MODEL_RPM=str(flags.rpm))
    client = Hopline.local(world.settings)
    client.ingest([_documents(world, _WARM)], f"warm-{secrets.token_hex(4)}")
    world.model(reset=True, chat={"latency": flags.latency}, chat_limits={"rpm": flags.rpm, "punish": 5.0})
    folder = _documents(world, flags.documents)
    began = time.perf_counter()
    report = client.ingest([folder], f"bench-{secrets.token_hex(4)}")
    seconds = time.perf_counter() - began
    chunks = sum(document.chunks for document in report.documents)
    if report.status != "done" or chunks != CHUNKS * flags.documents:
        raise SystemExit(f"{report.status}, {chunks} chunks instead of {CHUNKS * flags.documents}")
    return seconds


def _documents(world: World, count: int) -> Path:
    """Write documents of two long paragraphs, each of which becomes one chunk; no two are alike."""
    folder = world.folder / secrets.token_hex(4)
    folder.mkdir()
    for number in range(count):
        name = f"{folder.name}{number}"
        harbours = " ".join(
            f"Harbour {name}-{nth} was opened by Maren Holt in {1500 + nth}." for nth in range(22)
        )
        lighthouses = " ".join(
            f"Lighthouse {name}-{nth} was built of slate in {1700 + nth}." for nth in range(22)
        )
        (folder / f"{number:05}.txt").write_text(f"{harbours}\n\n{lighthouses}\n", encoding="utf-8")
    return folder


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__, "plan")
    parser.add_argument("--rpm", type=int, default=600)
    parser.add_argument("--documents", type=int, default=300)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--latency", type=float, default=1.0, help="seconds of a call")
    return parser.parse_args()


if __name__ == "__main__":
    main()
