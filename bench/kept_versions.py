"""What keeping versions costs: the room that one takes, and the time that replacing documents takes.

Documents of ten chunks are replaced by others under the same names, by workers that keep what was live and by
workers that keep nothing, over the same servers and in turns. Processor time is that of all workers and
servers per chunk; the ratio is that of the medians.

    python bench/kept_versions.py [--runs 5] [--documents 12] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import secrets
import shutil
import statistics
import time
from pathlib import Path
from typing import Any

from ingest import CHUNK_CHARACTERS, CHUNKS_PER_DOCUMENT, make_folder
from report import keep, machine, options
from rich.console import Console
from rich.table import Table
from world import World, started_world

from hopline import Hopline
from hopline.models.jobs import Json
from workers.core.graph.kept_versions import kept_store
from workers.services import Services

WAYS = {"without": 0, "keeping": 5}  # what is compared -> HOPLINE_VERSIONS_KEPT
CALLS = 16
_ROOM = """
MATCH (v:KeptVersion {collection: $collection})
OPTIONAL MATCH (v)-[:HAS_KEPT_PART]->(part)
RETURN count(DISTINCT v) AS versions, count(part) AS parts, sum(size(part.body)) AS characters
"""
_LIVE = """
MATCH (d:Document {collection: $collection})-[:HAS_CHUNK]->(c)
OPTIONAL MATCH (c)-[:HAS_ATOMIC_FACT]->(f)
OPTIONAL MATCH (f)-[:HAS_KEY_ELEMENT]->(k)
RETURN count(DISTINCT d) AS documents,
  count(DISTINCT d) + count(DISTINCT c) + count(DISTINCT f) + count(DISTINCT k) AS nodes
"""


def main() -> None:
    """Measure and print."""
    arguments = _parse_arguments()
    with started_world() as world:
        ways = {name: _way(world, name, nth, kept) for nth, (name, kept) in enumerate(WAYS.items(), 1)}
        places = {
            name: (make_folder(way, arguments.documents), f"bench-{name}") for name, way in ways.items()
        }
        made: dict[str, list[Json]] = {name: [] for name in ways}
        for round_ in range(arguments.runs + 2):
            for name in sorted(ways, reverse=bool(round_ % 2)):
                result = _replace(ways[name], *places[name], arguments.documents)
                if round_ > 1:  # the first brings documents in, and the second warms what replaces them
                    made[name].append(result)
        room = _room(ways["keeping"], places["keeping"][1])
    report = {"benchmark": "kept versions", "machine": machine(), "runs": arguments.runs} | _medians(made)
    Console().print(_table(report | room))
    keep(report | room, arguments.json)


def _way(world: World, name: str, database: int, kept: int) -> World:
    """Start the worker of one way."""
    settings: dict[str, Any] = {
        "HOPLINE_VERSIONS_KEPT": str(kept),
        "HOPLINE_BULK_THREADS": str(CALLS + 8),
        "HOPLINE_MODEL_CALLS": str(CALLS),
        "HOPLINE_LIMITS": json.dumps({"chunk_tokens": 330, "chunk_overlap": 0}),
        "HOPLINE_BULK_NICE": "0",  # what else the machine does is to slow workers and servers alike
    }
    way = world.beside(name, database)
    way.work("bulk", **settings)
    return way


def _replace(way: World, folder: Path, collection: str, documents: int) -> Json:
    """Replace all documents of a folder, and count what it took."""
    others = make_folder(way, documents)
    for path in sorted(others.iterdir()):
        shutil.move(path, folder / path.name)
    before, started = way.processor_seconds(), time.perf_counter()
    with Hopline.local(way.settings) as client:
        report = client.ingest([folder], collection, key=secrets.token_hex(8))
    wall, after = time.perf_counter() - started, way.processor_seconds()
    if report.failed:
        raise SystemExit(f"{way.label}{report.failed}")
    chunks = documents * CHUNKS_PER_DOCUMENT
    used = {name: 1000 * (after[name] - before[name]) / chunks for name in after}
    own = {name: ms for name, ms in used.items() if "worker" not in name or name.startswith(way.label)}
    return {"wall_s": wall, "cpu_ms_per_chunk": sum(own.values())}


def _medians(made: dict[str, list[Json]]) -> Json:
    figures = {
        name: {part: round(statistics.median(result[part] for result in results), 2) for part in results[0]}
        for name, results in made.items()
    }
    ratios = {
        f"{part}_ratio": round(figures["keeping"][part] / figures["without"][part], 2)
        for part in figures["without"]
    }
    return {"ways": figures} | ratios


def _room(way: World, collection: str) -> Json:
    """Return what a kept version takes, beside what is live of a document."""
    services, store = Services(way.settings), kept_store(collection)
    run = services.graph.connection.run_text
    [room], [live] = (run("room", query, collection=collection) for query in (_ROOM, _LIVE))
    vectors = sum(services.vectors.count(store, kind) for kind in ("chunk", "element"))
    services.close()
    versions, text = room["versions"], CHUNKS_PER_DOCUMENT * CHUNK_CHARACTERS
    return {
        "versions": versions,
        "nodes_per_version": round((versions + room["parts"]) / versions, 1),
        "nodes_per_live_document": round(live["nodes"] / live["documents"], 1),
        "characters_per_version": round(room["characters"] / versions),
        "characters_to_text": round(room["characters"] / versions / text, 2),
        "vectors_per_version": round(vectors / versions, 1),
    }


def _table(report: Json) -> Table:
    table = Table(title=f"replacing documents, keeping what was live ({report['machine']})")
    for name in ("", *WAYS, "ratio"):
        table.add_column(name, justify="right")
    for part in ("cpu_ms_per_chunk", "wall_s"):
        values = (str(report["ways"][name][part]) for name in WAYS)
        table.add_row(part, *values, str(report[f"{part}_ratio"]))
    for part in ("versions", "nodes_per_version", "nodes_per_live_document", "characters_per_version"):
        table.add_row(part, "", str(report[part]), "")
    for part in ("characters_to_text", "vectors_per_version"):
        table.add_row(part, "", str(report[part]), "")
    return table


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__, "kept_versions")
    parser.add_argument("--runs", type=int, default=5, help="replacements of each way that are measured")
    parser.add_argument("--documents", type=int, default=12, help="of ten chunks each")
    return parser.parse_args()


if __name__ == "__main__":
    main()
