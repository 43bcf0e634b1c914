"""How long commands take to start and to answer, against a bare Python of the same run.

Needs a running stack (`make up`) with a collection that holds something (`make demo` leaves `demo`). Each
command runs several times; the median counts; of `ask`, what it takes beyond its job. Seconds depend on
the machine and on what else it does.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from report import machine, options
from rich.console import Console
from rich.table import Table

from hopline.models.times import seconds_between

HOPLINE = str(Path(sys.executable).with_name("hopline"))
# Command, and the seconds that it may take on a quiet machine with two cores.
GOALS = (
    ("--help", 0.25),
    ("--version", 0.25),
    ("jobs", 0.5),
    ("ask", 0.6),  # beyond the job itself
    ("search", 1.2),
    ("status", 1.5),
    ("doctor", 1.5),
)
QUESTION = "Where was the designer of the Clifton Suspension Bridge born?"


def run_seconds(command: list[str]) -> tuple[float, float]:
    """Return the wall and the processor seconds of one run."""
    before, started = os.times(), time.perf_counter()
    subprocess.run(command, capture_output=True, check=False)
    wall, after = time.perf_counter() - started, os.times()
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


def run_ask(command: list[str]) -> tuple[float, float]:
    """Return the wall seconds beyond the job's own, and the processor seconds, of one question.

    Its job is asked for again each time: without a key every question is a job.
    """
    before, started = os.times(), time.perf_counter()
    answer = subprocess.run([*command, "--json"], capture_output=True, check=False)
    wall, after = time.perf_counter() - started, os.times()
    if answer.returncode:
        told = answer.stderr.decode()[-500:]
        raise SystemExit(f"`hopline ask` failed; is the stack up (`make demo`)? {told}")
    job_id = json.loads(answer.stdout)["job_id"]
    shown = subprocess.run([HOPLINE, "jobs", "show", job_id, "--json"], capture_output=True, check=True)
    job = json.loads(shown.stdout)
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    begun, ended = map(datetime.fromisoformat, (job["created"], job["ended"]))
    return wall - seconds_between(begun, ended), processor


def median_seconds(command: list[str], runs: int) -> tuple[float, float]:
    """Return the medians of wall and processor seconds, after one run that is not counted."""
    run_once = run_ask if command[1:2] == ["ask"] else run_seconds
    run_once(command)
    walls, processor = zip(*(run_once(command) for _ in range(runs)), strict=True)
    return statistics.median(walls), statistics.median(processor)


def main() -> None:
    """Measure and print."""
    parser = options(__doc__, "command_line")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--collection", default="demo")
    arguments = parser.parse_args()
    reference, _ = median_seconds([sys.executable, "-c", "pass"], arguments.runs)
    rows: list[dict[str, Any]] = []
    for name, goal in GOALS:
        words = [name, QUESTION, "-c", arguments.collection] if name in {"ask", "search"} else [name]
        wall, processor = median_seconds([HOPLINE, *words], arguments.runs)
        rows.append(
            {"command": name, "wall_s": round(wall, 2), "processor_s": round(processor, 2), "goal_s": goal}
        )
    table = Table("command", "seconds", "of them processor", "goal, quiet machine", "over bare Python")
    for row in rows:
        ratio = f"{row['wall_s'] / reference:.1f}"
        table.add_row(row["command"], str(row["wall_s"]), str(row["processor_s"]), str(row["goal_s"]), ratio)
    Console().print(f"{machine()}; bare Python {reference:.3f} s", table, sep="\n")
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(json.dumps({"bare_python_s": round(reference, 3), "commands": rows}, indent=1))


if __name__ == "__main__":
    main()
