"""What every bench says and keeps alike: its machine, its options, its report as JSON."""

from __future__ import annotations

import argparse
import json
import logging
import os
import platform
import statistics
from collections.abc import Sequence
from pathlib import Path

import structlog

from hopline.models.jobs import Json


def machine() -> str:
    """Return what the figures were measured on."""
    return (
        f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, all servers on it"
    )


def options(description: str | None, name: str | None = None) -> argparse.ArgumentParser:
    """Return a parser for a bench's options, with --json.

    Args:
        description: what --help says first, as it is.
        name: of the report's file; without one it is written only where that is asked for.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    file = Path(f"bench/results/{name}.json") if name else None
    parser.add_argument("--json", type=Path, default=file, help="where to write the report")
    return parser


def latency_options(description: str | None, name: str) -> argparse.Namespace:
    """Return what was asked of a bench that runs questions at a fixed model latency."""
    parser = options(description, name)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds of each model call")
    parser.add_argument("--workers", type=int, default=2, help="interactive worker processes")
    parser.add_argument("--no-sequence", action="store_true", help="leave the reference out")
    return parser.parse_args()


def is_there(name: str, file: Path) -> bool:
    """Return whether a bench's evaluation file is there, or say that it is not; log warnings alone."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    if not file.is_file():
        print(f"{name}: skipped, there is no {file}; --file names an evaluation file")
        return False
    return True


def summarise_times(walls: Sequence[float], path: float, sequence: float | None) -> Json:
    """Return how long runs took over a critical path that is the same in each.

    Args:
        walls: seconds of each run.
        path: seconds of the critical path.
        sequence: seconds of the steps one after another; None where they were left out.
    """
    wall = statistics.median(walls)
    return {
        "critical_path_s": path,
        "wall_s": round(wall, 3),
        "wall_worst_s": round(max(walls), 3),
        "over_critical_path": round(wall / path, 2),
        "one_after_another_s": sequence and round(sequence, 2),
        "faster_than_one_after_another": sequence and round(sequence / wall, 1),
    }


def keep(report: Json, file: Path | None) -> None:
    """Write a report, where a file is named."""
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
