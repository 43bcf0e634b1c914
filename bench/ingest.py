"""How many chunks a second are ingested, with everything written: graph, vectors, ledger.

Chunks of 1,200 characters, ten to a document, about ten facts a chunk from the offline model, every server on
this machine. A thousand chunks have gone before, so that Neo4j is warm, as in a stack that has run for some
minutes; the first 300 of them are told, too. Shown are medians. The named reference is what the model allows:
calls in flight over latency.

    python bench/ingest.py [--only NAME] [--runs 5] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import random
import secrets
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from report import keep, machine, options
from rich.console import Console
from rich.table import Table
from world import World, started_world

from hopline import Hopline
from hopline.models.jobs import Json

CHUNK_CHARACTERS = 1200
CHUNKS_PER_DOCUMENT = 10
SENTENCES_PER_CHUNK = 10
PROCESSES = 2
_CALLS = 64  # in flight while nothing is measured
_COLD, _WARM = 300, 1000  # chunks: the first ones, and those after which Neo4j has compiled what it does
_NAMES = (
    "Aldo",
    "Berta",
    "Cosimo",
    "Dagny",
    "Egon",
    "Freya",
    "Gustav",
    "Hedda",
    "Ivar",
    "Jorun",
    "Karel",
    "Liv",
)
_PLACES = (
    "Arbroath",
    "Bergen",
    "Cadiz",
    "Delft",
    "Elba",
    "Faro",
    "Ghent",
    "Hydra",
    "Ischia",
    "Jena",
    "Kotor",
    "Lund",
)
_DEEDS = ("built a lighthouse", "founded a printing house", "charted the coast", "restored the old organ")


@dataclass(frozen=True)
class Case:
    """One way to run: so many chunks, at this latency (seconds), with so many calls in flight."""

    name: str
    chunks: int
    latency: float
    calls: int
    target: float  # chunks per second that the issue asks for

    @property
    def limit(self) -> float | None:
        """Chunks per second that the model allows; None where it answers at once."""
        return self.calls / self.latency if self.latency else None


CASES = (
    Case("2 s, 64 calls", 1280, 2.0, 64, 0.95 * 32),
    Case("200 ms, 8 calls", 300, 0.2, 8, 0.85 * 40),
    Case("200 ms, 64 calls", 300, 0.2, 64, 40.0),
    Case("0 ms, 64 calls", 300, 0.0, 64, 70.0),
)


def main() -> None:
    """Measure and print."""
    arguments = _parse_arguments()
    with started_world(lasting=True) as world:
        cold = _warm_up(world)
        rows = [
            _measure(world, case, arguments.runs) for case in CASES if arguments.only in (None, case.name)
        ]
    report = {
        "benchmark": "ingest",
        "machine": machine(),
        "runs": arguments.runs,
        "cold_chunks_per_s": cold,
        "rows": rows,
    }
    console = Console()
    console.print(_table(report))
    console.print(f"The first {_COLD} chunks of all, model at once: {cold} chunks/s")
    keep(report, arguments.json)


def _warm_up(world: World) -> float:
    """Ingest until Neo4j is warm; return the chunks per second of the first ones."""
    _work(world, _CALLS)
    wall: float = timed_ingestion(world, _COLD // CHUNKS_PER_DOCUMENT)["wall_s"]
    timed_ingestion(world, (_WARM - _COLD) // CHUNKS_PER_DOCUMENT)
    _end_workers(world)
    return round(_COLD / wall, 1)


def _work(world: World, calls: int) -> None:
    """Start workers that keep at most so many calls in flight."""
    limits = {"chunk_tokens": 330, "chunk_overlap": 0}
    world.work(
        "bulk",
        PROCESSES,
        HOPLINE_BULK_THREADS=str(calls // PROCESSES + 8),
        HOPLINE_MODEL_CALLS=str(calls // PROCESSES),
        HOPLINE_LIMITS=json.dumps(limits),
    )


def _end_workers(world: World) -> None:
    for name in [name for name in world.running if "worker" in name]:
        world.running.pop(name).stop()


def _measure(world: World, case: Case, runs: int) -> Json:
    """Run one case with workers of its own."""
    _work(world, case.calls)
    timed_ingestion(world, _COLD // CHUNKS_PER_DOCUMENT)  # these workers are new
    world.model(reset=True, chat={"latency": case.latency})
    made = [timed_ingestion(world, case.chunks // CHUNKS_PER_DOCUMENT) for _ in range(runs)]
    world.model(chat={"latency": 0.0})
    _end_workers(world)
    wall = statistics.median(run["wall_s"] for run in made)
    rate = case.chunks / wall
    return {
        "case": case.name,
        "chunks": case.chunks,
        "facts": made[-1]["facts"],
        "wall_s": round(wall, 2),
        "chunks_per_s": round(rate, 1),
        "each_chunks_per_s": [round(case.chunks / run["wall_s"], 1) for run in made],
        "limit_chunks_per_s": case.limit,
        "share_of_limit": round(rate / case.limit, 3) if case.limit else None,
        "target_chunks_per_s": case.target,
        "cpu_ms_per_chunk": {
            name: round(statistics.median(run["cpu_ms_per_chunk"][name] for run in made), 1)
            for name in made[-1]["cpu_ms_per_chunk"]
        },
    }


def timed_ingestion(world: World, documents: int, chunks: int = CHUNKS_PER_DOCUMENT) -> Json:
    """Ingest new documents into a new collection.

    Args:
        world: with workers.
        documents: how many.
        chunks: of each of them.

    Returns:
        Facts, seconds, and the processor milliseconds per chunk of each server and worker.
    """
    folder, total = make_folder(world, documents, chunks), documents * chunks
    before, started = world.processor_seconds(), time.perf_counter()
    with Hopline.local(world.settings) as client:
        report = client.ingest([folder], f"bench-{secrets.token_hex(4)}")
    wall, after = time.perf_counter() - started, world.processor_seconds()
    done = sum(document.chunks for document in report.documents)
    if report.status != "done" or done != total:
        raise SystemExit(f"{world.label}{chunks}: {report.status}, {done} chunks instead of {total}")
    return {
        "facts": sum(document.facts for document in report.documents),
        "wall_s": wall,
        "cpu_ms_per_chunk": {name: 1000 * (after[name] - before[name]) / total for name in after},
    }


def make_folder(world: World, documents: int, chunks: int = CHUNKS_PER_DOCUMENT) -> Path:
    """Write documents of so many paragraphs, each of which becomes one chunk."""
    folder = world.folder / secrets.token_hex(4)
    folder.mkdir()
    dice = random.Random(folder.name)
    for number in range(documents):
        text = "\n\n".join(_paragraph(dice) for _ in range(chunks))
        (folder / f"{number:05}.txt").write_text(text, encoding="utf-8")
    return folder


def _paragraph(dice: random.Random) -> str:
    sentences = [_sentence(dice, 119) for _ in range(SENTENCES_PER_CHUNK - 1)]
    rest = CHUNK_CHARACTERS - sum(len(sentence) + 1 for sentence in sentences)
    return " ".join([*sentences, _sentence(dice, rest)])


def _sentence(dice: random.Random, length: int) -> str:
    who = f"{dice.choice(_NAMES)} {dice.choice(_NAMES)}son of {dice.choice(_PLACES)}"
    start = f"In {dice.randrange(1500, 1950)} {who} {dice.choice(_DEEDS)} in {dice.choice(_PLACES)}"
    return (
        " ".join([start, *_padding(dice, length - len(start) - 1)])[: length - 1]
        .rstrip()
        .ljust(length - 1, "o")
        + "."
    )


def _padding(dice: random.Random, length: int) -> Iterator[str]:
    words = (
        "with",
        "stone",
        "timber",
        "iron",
        "copper",
        "slate",
        "brick",
        "glass",
        "marble",
        "sand",
        "lime",
        "oak",
    )
    while length > 0:
        word = dice.choice(words)
        length -= len(word) + 1
        yield word


def _table(report: Json) -> Table:
    table = Table(title=f"ingest, {CHUNKS_PER_DOCUMENT} chunks a document ({report['machine']})")
    for name in ("case", "chunks", "facts", "wall", "chunks/s", "of the limit", "target", "CPU ms per chunk"):
        table.add_column(name, justify="right")
    for row in report["rows"]:
        share = (
            f"{row['share_of_limit']:.0%} of {row['limit_chunks_per_s']:.0f}/s"
            if row["share_of_limit"]
            else "-"
        )
        cpu = "\n".join(f"{name} {ms}" for name, ms in row["cpu_ms_per_chunk"].items())
        table.add_row(
            row["case"],
            str(row["chunks"]),
            str(row["facts"]),
            f"{row['wall_s']:.1f} s",
            f"{row['chunks_per_s']:.1f}",
            share,
            f"{row['target_chunks_per_s']:.1f}/s",
            cpu,
        )
    return table


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__, "ingest")
    parser.add_argument("--runs", type=int, default=5, help="of each case")
    parser.add_argument("--only", choices=[case.name for case in CASES], help="run one case")
    return parser.parse_args()


if __name__ == "__main__":
    main()
