"""What searches find with a weak, a better and a worthless embedder, at several weights of vectors.

The passages of an evaluation file are loaded once, by statements of their own (corpus.py). For each embedder
the chunks' vectors are made again and it is measured; then all questions are asked with vectors that weigh
what was measured, once, and nothing. "drawn" gives every text a vector drawn at random.

    python bench/embedders.py [--file FILE] [--embedders wordllama minilm drawn] [--json FILE]
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from corpus import Loader
from report import is_there, keep, machine, options
from rich.console import Console
from rich.table import Table
from world import started_world

from hopline.models.census import EmbedderFigure
from hopline.models.jobs import Json
from infra.local.neo4j_server import Neo4jMemory
from infra.offline_model.embedder import load_embedder
from infra.offline_model.matrices import unit
from producer.evaluation.dataset import Dataset, read_dataset
from producer.evaluation.retrieval import ALL, SEARCH, Retriever, measure_retrieval
from workers.core.graph.vectors import Embedder
from workers.core.jobs.work import Job
from workers.core.ports import Ports
from workers.ingest.measure import measure_embedder
from workers.ingest.vectors import store_vectors
from workers.services import Services

MEMORY = Neo4jMemory(heap=1024, page_cache=512)
WEIGHTS = (None, 1.0, 0.0)  # None: as measured
_COLLECTION = "embedders"
_DRAWN = 256  # numbers of a vector
_SEED = 4


class InProcess:
    """An embedder of this process in place of the model endpoint's.

    Args:
        name: wordllama, minilm or drawn.
    """

    def __init__(self, name: str) -> None:
        self._embed = None if name == "drawn" else load_embedder(name)
        dimension = self._embed.dimension if self._embed else _DRAWN
        self.embedder = Embedder(name=name, dimension=dimension)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector per text."""
        if self._embed:
            return [[float(number) for number in row] for row in self._embed(texts)]
        rows = [np.random.default_rng(zlib.crc32(text.encode())).normal(size=_DRAWN) for text in texts]
        return [[float(number) for number in row] for row in unit(np.array(rows, dtype=np.float32))]


def main() -> None:
    """Measure and print."""
    arguments = _parse_arguments()
    if not is_there("embedders", arguments.file):
        return
    dataset = read_dataset(arguments.file)
    report: Json = {"benchmark": "embedders", "machine": machine(), "file": dataset.name}
    with started_world(MEMORY) as world:
        services = Services(world.settings)
        loader = Loader(services, _COLLECTION)
        loader.load_until(10**9, iter(dataset.passages))
        report["rows"] = [row for name in arguments.embedders for row in _measured(services, dataset, name)]
    _print(Console(), report)
    keep(report, arguments.json)


def _measured(services: Services, dataset: Dataset, name: str) -> Iterator[Json]:
    """Make the vectors again, and ask all questions at each weight."""
    model = InProcess(name)
    figure = _embedded(services, model)
    for weight in WEIGHTS:
        weighted_services = Services(services.settings.model_copy(update={"vector_weight": weight}))
        weighted_services.__dict__["model"] = model
        rows = list(Retriever(weighted_services, _COLLECTION, dataset).rows(dataset.questions))
        measures = measure_retrieval(rows, warm_up=0, seed=_SEED).groups[ALL].systems[SEARCH]
        yield {
            "embedder": name,
            "figure": figure.model_dump(),
            "weight": figure.weight if weight is None else weight,
            "measured": weight is None,
            "recall_2": measures.recall_2.mean,
            "recall_5": measures.recall_5.mean,
        }


def _embedded(services: Services, model: InProcess) -> EmbedderFigure:
    job = Job(id="embed", kind="reindex", collection=_COLLECTION)
    ports = Ports(job, services.graph, services.vectors, model, services.blobs, services.settings.limits)  # type: ignore[arg-type]
    services.vectors.drop(_COLLECTION)
    services.vectors.prepare(_COLLECTION, model.embedder)
    pages = services.graph.nodes.texts(_COLLECTION)
    store_vectors(ports, _COLLECTION, (entry for page in pages for entry in page if entry[1] == "chunk"))
    figure = measure_embedder(ports, _COLLECTION, anew=True)
    if figure is None:
        raise SystemExit("the collection is too small to measure its embedder")
    return figure


def _print(console: Console, report: Json) -> None:
    table = Table(title=f"search by embedder, {report['file']} ({report['machine']})")
    for name in ("embedder", "rank by vectors", "by words", "weight", "R@2", "R@5"):
        table.add_column(name, justify="right")
    for row in report["rows"]:
        ranks = (f"{row['figure'][name]:.2f}" for name in ("vectors", "words"))
        weight = f"{row['weight']:.2f}{' (measured)' if row['measured'] else ''}"
        recalls = (f"{100 * row[name]:.1f}" for name in ("recall_2", "recall_5"))
        table.add_row(row["embedder"], *ranks, weight, *recalls)
    console.print(table)


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__, "embedders")
    parser.add_argument("--file", type=Path, default=Path("../shared/eval/hotpot100.json"))
    parser.add_argument(
        "--embedders", nargs="+", default=["wordllama", "drawn"], help="wordllama, minilm, drawn"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
