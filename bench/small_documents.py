"""What one task for a small document is worth: all its steps in one, against a task for each step.

Documents of one, two and ten chunks of 1,200 characters, about ten facts a chunk from the offline model,
which answers at once; both ways have two bulk workers of their own over the same servers, and take turns.
Several hundred documents have gone before, so that Neo4j is warm. Shown are medians; the ratio is that of
chunks per second. Of Neo4j's processor time it is shown which statement took it, measured where no other
ran meanwhile.

    python bench/small_documents.py [--runs 5] [--chunks 1 2 10] [--before FOLDER] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path

from ingest import timed_ingestion
from report import keep, machine, options
from rich.console import Console
from rich.table import Table
from statements import server_by_statement
from world import World, started_world

from hopline.models.jobs import Json

CALLS = 64
PROCESSES = 2
CHUNKS_PER_RUN = 240
MOST = 16  # chunks of a document that one task does
WAYS = {"apart": 0, "one task": MOST}  # what is compared -> HOPLINE_SMALL_DOCUMENT_CHUNKS


def main() -> None:
    """Measure and print."""
    arguments = _parse_arguments()
    with started_world(lasting=True) as world:
        ways = {
            name: _workers(world, name, nth, most, arguments.before if name == "apart" else None)
            for nth, (name, most) in enumerate(WAYS.items(), 1)
        }
        for way in (*ways.values(), *ways.values()):
            _run(way, 1, CHUNKS_PER_RUN)  # until Neo4j has compiled
        rows = [_measure(ways, chunks, arguments.runs) for chunks in arguments.chunks]
        for row in rows:
            chunks = row["chunks_per_document"]
            row["server_by_statement"] = server_by_statement(world, chunks, CHUNKS_PER_RUN, MOST)
    report = {"benchmark": "small documents", "machine": machine(), "runs": arguments.runs, "rows": rows}
    Console().print(_table(report))
    Console().print(_statements(report))
    keep(report, arguments.json)


def _workers(world: World, name: str, database: int, most: int, folder: Path | None) -> World:
    """Start the workers of one way, which keep at most the calls in flight.

    Args:
        world: whose servers they use.
        name: of the way.
        database: of Redis.
        most: HOPLINE_SMALL_DOCUMENT_CHUNKS.
        folder: whose code they run, where it is not this one's.
    """
    calls = CALLS // PROCESSES
    limits = {"chunk_tokens": 330, "chunk_overlap": 0}
    settings = {
        "HOPLINE_BULK_THREADS": str(calls + 8),
        "HOPLINE_MODEL_CALLS": str(calls),
        "HOPLINE_LIMITS": json.dumps(limits),
        "HOPLINE_SMALL_DOCUMENT_CHUNKS": str(most),
        "HOPLINE_BULK_NICE": "0",  # what else the machine does is to slow both ways alike, and the servers
    }
    if folder:
        settings |= {"PYTHONPATH": str(folder.resolve()), "PYTHONSAFEPATH": "1"}
    way = world.beside(name, database)
    way.work("bulk", PROCESSES, **settings)
    return way


def _measure(ways: dict[str, World], chunks: int, runs: int) -> Json:
    """Let the ways take turns; return the medians of each."""
    made: dict[str, list[Json]] = {name: [] for name in ways}
    for _ in range(runs):
        for name, way in ways.items():
            made[name].append(_run(way, chunks, CHUNKS_PER_RUN))
    row: Json = {"chunks_per_document": chunks}
    for name, results in made.items():
        parts = {part for result in results for part in result["cpu_ms_per_chunk"]}
        row[name] = {
            "chunks_per_s": round(statistics.median(result["chunks_per_s"] for result in results), 1),
            "cpu_ms_per_chunk": {
                part: round(
                    statistics.median(result["cpu_ms_per_chunk"].get(part, 0) for result in results), 1
                )
                for part in sorted(parts)
            },
        }
    before, now = (row[name]["chunks_per_s"] for name in WAYS)
    return row | {"ratio": round(now / before, 2)}


def _run(way: World, chunks: int, total: int) -> Json:
    """Ingest so many chunks and count what it took."""
    took = timed_ingestion(way, total // chunks, chunks)
    spent = took["cpu_ms_per_chunk"]
    own = sum(ms for name, ms in spent.items() if name.startswith(f"{way.label}bulk"))
    servers = {name: ms for name, ms in spent.items() if "worker" not in name}
    return {"chunks_per_s": total / took["wall_s"], "cpu_ms_per_chunk": {"workers": own} | servers}


def _table(report: Json) -> Table:
    table = Table(title=f"a task a document against a task a step ({report['machine']})")
    for name in ("chunks a document", "way", "chunks/s", "ratio", "processor ms per chunk"):
        table.add_column(name, justify="right")
    for row in report["rows"]:
        for name in WAYS:
            spent = ", ".join(f"{part} {ms}" for part, ms in row[name]["cpu_ms_per_chunk"].items())
            ratio = f"{row['ratio']:.2f}" if name == list(WAYS)[-1] else ""
            table.add_row(str(row["chunks_per_document"]), name, str(row[name]["chunks_per_s"]), ratio, spent)
    return table


def _statements(report: Json) -> Table:
    table = Table(title="Neo4j's processor time by statement, of a document in one task")
    for name in ("chunks a document", "statement", "transactions", "processor ms"):
        table.add_column(name, justify="right")
    for row in report["rows"]:
        for each in row["server_by_statement"]:
            chunks = str(row["chunks_per_document"])
            table.add_row(chunks, each["statement"], str(each["transactions"]), str(each["ms"]))
    return table


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__, "small_documents")
    parser.add_argument("--runs", type=int, default=5, help="of each way")
    parser.add_argument("--chunks", type=int, nargs="+", default=[1, 2, 10], help="of a document")
    parser.add_argument("--before", type=Path, help="a checkout whose workers do it apart")
    return parser.parse_args()


if __name__ == "__main__":
    main()
