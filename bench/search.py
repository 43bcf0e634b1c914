"""How long a search takes: per question on an evaluation file's corpus, and as the graph around it grows.

Each time the same questions are asked in the graph (the reference) and in the memory of the process, as it is
once a collection was searched some times and the graph rests (ADR 49).

The first table is of the file's own passages. With --growth the corpus is repeated with its rare names
changed and what is frequent shared (copies.py), to 10, 50 and 200 thousand facts, and the same questions are
asked. Passages are loaded by statements of their own (corpus.py); searches go the way that every search goes.

    python bench/search.py [--file FILE] [--growth] [--json FILE]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from copies import FREQUENT, Repeater
from corpus import Loader
from report import is_there, keep, machine, options
from rich.console import Console
from rich.table import Table
from world import World, started_world

from hopline.models.jobs import Json
from infra.local.neo4j_server import Neo4jMemory
from producer.evaluation.dataset import Dataset, EvalQuestion, Passage, read_dataset
from producer.evaluation.retrieval import ALL, SEARCH, Retriever, measure_retrieval
from workers.engine.startup import warm_up as warm_up_process
from workers.services import Services

SIZES = (10_000, 50_000, 200_000)  # facts
GROWN_QUESTIONS = 200  # the first of the file: their passages are in the smallest graph, too
P50_MS, P95_MS, GROWTH = 25.0, 45.0, 1.3  # targets
MEMORY = Neo4jMemory(heap=1024, page_cache=512)
_SEED = 4
_CHECKED = 25  # passages that are also written document by document, to compare
_EVERY = 10**9


def main() -> None:
    """Measure and print."""
    arguments = _parse_arguments()
    if not is_there("search", arguments.file):
        return
    dataset = read_dataset(arguments.file).first(arguments.questions)
    report: Json = {"benchmark": "search", "machine": machine(), "file": dataset.name}
    with started_world(MEMORY, lasting=True) as world:
        report["neo4j_mb"] = MEMORY.model_dump()
        report["corpus"] = list(_corpus(world, dataset))
        if arguments.growth:
            report["growth"] = list(_growth(world, dataset, arguments.sizes))
            report["frequent_above"] = FREQUENT
    _print(Console(width=None if sys.stdout.isatty() else 170), report)
    keep(report, arguments.json)


def _corpus(world: World, dataset: Dataset) -> Iterator[Json]:
    """Load the file's own passages, and ask all of its questions."""
    services = Services(world.settings)
    loader = Loader(services, "corpus")
    begun = time.perf_counter()
    loader.check(dataset.passages[:_CHECKED])
    loader.load_until(_EVERY, iter(dataset.passages[_CHECKED:]))
    yield from _both(services, loader, dataset, dataset.questions, time.perf_counter() - begun)


def _growth(world: World, dataset: Dataset, sizes: list[int]) -> Iterator[Json]:
    """Grow a graph; at each size ask the same questions."""
    services = Services(world.settings)
    loader = Loader(services, "growth")
    passages: Iterator[Passage] = Repeater(dataset.passages).copies()
    questions = dataset.questions[:GROWN_QUESTIONS]
    for size in sizes:
        begun = time.perf_counter()
        loader.load_until(size, passages)
        yield from _both(services, loader, dataset, questions, time.perf_counter() - begun)


def _both(
    services: Services,
    loader: Loader,
    dataset: Dataset,
    questions: tuple[EvalQuestion, ...],
    loading: float,
) -> Iterator[Json]:
    """Ask in the graph, then in memory."""
    in_graph = Services(services.settings.model_copy(update={"search_memory_facts": 0}))
    yield {"held": "graph"} | _measured(in_graph, loader, dataset, questions, loading)
    begun = time.perf_counter()
    services.graph.around.size(loader.collection)
    if not services.graph.around.snapshots.take(loader.collection):
        raise SystemExit("the collection cannot be held in memory")
    taking = time.perf_counter() - begun
    row = _measured(services, loader, dataset, questions, loading)
    yield {"held": "memory", "taking_s": round(taking, 1)} | row


def _measured(
    services: Services,
    loader: Loader,
    dataset: Dataset,
    questions: tuple[EvalQuestion, ...],
    loading: float,
) -> Json:
    warm_up_process(services)  # as a worker and the API do before they serve
    retriever = Retriever(services, loader.collection, dataset)
    for _ in range(2):  # once more than needed to fill the caches, for the compilers of the servers
        warm_up = retriever.warm_up(questions)
    rows = list(retriever.rows(questions))
    retrieval = measure_retrieval(rows, warm_up=warm_up, seed=_SEED)
    took = retrieval.milliseconds
    return {
        "facts": len(loader.facts),
        "elements": len(loader.elements),
        "chunks": loader.chunks,
        "loading_s": round(loading, 1),
        "questions": len(questions),
        "p50_ms": round(took.p50, 1),
        "p95_ms": round(took.p95, 1),
        "max_ms": round(took.max, 1),
        "parts_p50_ms": {name: round(ms, 1) for name, ms in took.parts_p50.items()},
        "recall_5": round(retrieval.groups[ALL].systems[SEARCH].recall_5.mean, 4),
        "failed": retrieval.failed,
    }


def _print(console: Console, report: Json) -> None:
    title = f"search, {report['file']} ({report['machine']})"
    console.print(_table(title, report["corpus"]))
    console.print(f"target: p50 at most {P50_MS:.0f} ms, p95 at most {P95_MS:.0f} ms")
    if "growth" in report:
        rows = report["growth"]
        console.print(_table("the same corpus repeated, the same questions", rows))
        for held in ("graph", "memory"):
            took = [row["p50_ms"] for row in rows if row["held"] == held]
            grown = took[-1] / took[0]
            console.print(
                f"{held}: p50 at the last size over the first: {grown:.2f}, target at most {GROWTH}"
            )


def _table(title: str, rows: list[Json]) -> Table:
    table = Table(title=title)
    table.add_column("read in")
    for name in ("facts", "elements", "chunks", "questions", "p50 ms", "p95 ms", "max ms", "R@5"):
        table.add_column(name, justify="right")
    table.add_column("p50 ms by part")
    for row in rows:
        counts = (f"{row[name]:,}" for name in ("facts", "elements", "chunks", "questions"))
        took = (f"{row[name]:.1f}" for name in ("p50_ms", "p95_ms", "max_ms"))
        parts = ", ".join(f"{name} {ms}" for name, ms in row["parts_p50_ms"].items())
        table.add_row(row["held"], *counts, *took, f"{100 * row['recall_5']:.1f}", parts)
    return table


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__, "search")
    parser.add_argument("--file", type=Path, default=Path("../shared/eval/hotpot500.json"))
    parser.add_argument("--questions", type=int, help="only the first so many")
    parser.add_argument("--growth", action="store_true", help="also grow the graph; takes some minutes")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="facts, with --growth")
    return parser.parse_args()


if __name__ == "__main__":
    main()
