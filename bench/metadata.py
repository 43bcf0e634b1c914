"""What it costs to change tags and access of many documents at once: seconds, and calls of the model.

Passages of an evaluation file, repeated with their rare names changed (copies.py), are loaded as documents.
Then all of them get a tag and an `allow`, as `hopline documents change --where …` and PATCH /v1/documents do,
and a principal of them searches for the first time, and once more. Calls of the model are counted: a search
embeds its question, a change calls nothing.

    python bench/metadata.py [--documents 10000] [--file FILE] [--json FILE]
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from copies import Repeater
from corpus import Loader
from report import is_there, keep, machine, options
from rich.console import Console
from rich.table import Table
from world import started_world

from hopline.models.documents import Document
from hopline.models.jobs import Json
from infra.local.neo4j_server import Neo4jMemory
from producer.evaluation.dataset import read_dataset
from producer.service.metadata.edits import change_metadata
from workers.core.metadata.changes import MetadataChange
from workers.core.scope import scope_for
from workers.engine.startup import warm_up
from workers.search.search import search
from workers.services import Services
from workers.telemetry.metrics import COUNTS, read_counts

COLLECTION, PRINCIPAL = "metadata", "group:legal"
CHANGE = MetadataChange(values={"tags": ("contract",), "allow": (PRINCIPAL,)})
MEMORY = Neo4jMemory(heap=1024, page_cache=512)
_PAGE = 1000  # documents listed or loaded at a time


def main() -> None:
    """Measure and print."""
    arguments = _parse_arguments()
    if not is_there("metadata", arguments.file):
        return
    with started_world(MEMORY, lasting=True) as world:
        services = Services(world.settings)
        dataset = read_dataset(arguments.file)
        loader, passages = Loader(services, COLLECTION), Repeater(dataset.passages).copies()
        for first in range(0, arguments.documents, _PAGE):
            loader.load(list(itertools.islice(passages, min(_PAGE, arguments.documents - first))))
        warm_up(services)
        question = dataset.questions[0].question
        parts: dict[str, Callable[[], object]] = {
            "tag and allow of all": lambda: _change(services),
            "the first search of a principal": lambda: _search(services, question),
            "the second": lambda: _search(services, question),
        }
        report: Json = {
            "benchmark": "metadata",
            "machine": machine(),
            "documents": arguments.documents,
            "facts": len(loader.facts),
            "parts": {name: _measured(services, part) for name, part in parts.items()},
        }
        services.close()
    if calls := report["parts"]["tag and allow of all"]["calls"]:
        raise SystemExit(f"the change called the model {calls} times")
    _print(Console(width=None if sys.stdout.isatty() else 120), report)
    keep(report, arguments.json)


def _change(services: Services) -> None:
    store, schemas = services.graph.store, services.metadata_schemas
    if not change_metadata(store, schemas.read, _listed(services), CHANGE):
        raise SystemExit("nothing was changed")


def _listed(services: Services) -> Iterator[Document]:
    after = ""
    while page := services.graph.store.documents(COLLECTION, after=after, limit=_PAGE):
        yield from page
        after = page[-1].id


def _search(services: Services, question: str) -> None:
    within = services.within(COLLECTION, scope_for(None, [PRINCIPAL]))
    ports = type("Searched", (), {**within._asdict(), "model": services.model})()
    if not search(question, COLLECTION, ports).chunks:
        raise SystemExit("nothing was found")


def _measured(services: Services, part: Callable[[], object]) -> Json:
    before, begun = _calls(services), time.perf_counter()
    part()
    seconds = time.perf_counter() - begun
    return {"seconds": round(seconds, 2), "calls": _calls(services) - before}


def _calls(services: Services) -> int:
    """Return how often this process has called the model, for chat and for embeddings."""
    COUNTS.flush(services.redis)
    counted = read_counts(services.redis)
    return round(sum(by for number, by in counted.items() if number.name == "hopline_model_calls"))


def _print(console: Console, report: Json) -> None:
    size = f"{report['documents']:,} documents, {report['facts']:,} facts"
    table = Table(title=f"metadata of {size} ({report['machine']})")
    for name in ("what", "seconds", "calls of the model"):
        table.add_column(name, justify="right")
    for name, row in report["parts"].items():
        table.add_row(name, f"{row['seconds']:.2f}", str(row["calls"]))
    console.print(table)


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__, "metadata")
    parser.add_argument("--file", type=Path, default=Path("../shared/eval/hotpot100.json"))
    parser.add_argument("--documents", type=int, default=10_000)
    return parser.parse_args()


if __name__ == "__main__":
    main()
