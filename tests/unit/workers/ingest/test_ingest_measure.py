"""When ingestion measures a collection's embedder, and what it does where it cannot."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from doubles.blobs import MemoryBlobs
from doubles.documents import write
from doubles.graph import MemoryGraph
from doubles.vectors import MemoryVectors

from hopline.errors import DependencyAway
from hopline.models.census import EmbedderFigure
from workers.core.errors import BudgetExceeded
from workers.core.graph.vectors import Embedder, Point
from workers.core.jobs.work import Job
from workers.core.ports import Limits, Ports
from workers.ingest.measure import LEAST, measure_embedder, measure_where_due
from workers.ingest.reindex import ReindexInput, reindex_collection

C = "measured"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
OLD = EmbedderFigure(vectors=0.1, words=0.6, pairs=128, chunks=LEAST)


class Spelling:
    """Embeds a text as how often each letter stands in it."""

    embedder = Embedder(name="letters", dimension=len(LETTERS))

    def __init__(self) -> None:
        self.calls: list[int] = []  # texts of each
        self.error: Exception | None = None

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.calls.append(len(texts))
        if self.error:
            raise self.error
        return [[float(text.casefold().count(letter)) for letter in LETTERS] for text in texts]


@pytest.fixture
def ports() -> Ports:
    job = Job(id="j1", kind="document", collection=C)
    vectors = MemoryVectors()
    vectors.prepare(C, Spelling.embedder)
    return Ports(job, MemoryGraph(), vectors, Spelling(), MemoryBlobs(), Limits())


def add(ports: Ports, chunks: int, first: int = 0) -> None:
    """Write chunks of four sentences, with their vectors."""
    for number in range(first, first + chunks):
        name = "".join(LETTERS[(number * 7 + place * place * 3) % 26] for place in range(8)).title()
        sentences = [
            (f"The town of {name} lies in a valley.", [name]),
            (f"Weavers of {name} made heavy woollen cloth.", [name]),
            (f"A railway reached {name} through two tunnels.", [name]),
            (f"Later the mills near {name} became museums.", [name]),
        ]
        write(ports.graph, C, f"d{number}", sentences)
    numbers = range(first, first + chunks)
    points = [Point(graph_id=f"c{n}", kind="chunk", vector=(1.0,) * len(LETTERS)) for n in numbers]
    ports.vectors.upsert(C, points)


def test_a_collection_is_measured_once_it_is_large_enough(ports):
    add(ports, LEAST - 1)
    assert measure_embedder(ports, C) is None
    add(ports, 1, LEAST - 1)
    figure = measure_embedder(ports, C)
    assert figure is not None
    assert (figure.pairs, figure.chunks) == (LEAST, LEAST)
    assert ports.vectors.figure(C) == figure


@pytest.mark.parametrize(("held", "due"), [(3 * LEAST, False), (4 * LEAST, True)])
def test_it_is_measured_again_once_it_has_grown_much(ports, held, due):
    ports.vectors.keep_figure(C, Spelling.embedder, OLD)
    add(ports, held)
    assert (measure_embedder(ports, C) is not None) == due
    assert bool(ports.model.calls) == due


def test_a_figure_of_another_embedder_counts_for_nothing_and_texts_are_embedded_some_at_a_time(ports):
    ports.vectors.keep_figure(C, Embedder(name="other", dimension=3), OLD)
    add(ports, 2 * LEAST)
    assert ports.vectors.figure(C) is None
    assert measure_embedder(ports, C) is not None
    assert sum(ports.model.calls) == 4 * LEAST
    assert max(ports.model.calls) <= 64


def test_documents_that_end_together_measure_once(ports):
    add(ports, LEAST)
    embed, figures = ports.model.embed, []

    def embed_beside_others(texts: Sequence[str]) -> list[list[float]]:
        ports.model.embed = embed
        with ThreadPoolExecutor(4) as pool:
            figures.extend(pool.map(lambda _: measure_embedder(ports, C), range(4)))
        return embed(texts)

    ports.model.embed = embed_beside_others
    assert measure_embedder(ports, C) is not None
    assert figures == [None] * 4
    assert len(ports.model.calls) == 1
    assert measure_embedder(ports, C, anew=True) is not None


def test_a_document_is_not_lost_where_its_collection_cannot_be_measured(ports):
    add(ports, LEAST)
    for ports.model.error in (DependencyAway("model: away"), BudgetExceeded("no more money")):
        assert measure_embedder(ports, C) is None
        assert ports.vectors.figure(C) is None


def test_about_one_small_document_in_16_looks_and_every_large_one(ports):
    counted = []
    ports.vectors.count = lambda collection, kind: counted.append((collection, kind)) or 0
    for number in range(640):
        measure_where_due(ports, C, f"document-{number}", 1)
    assert 20 <= len(counted) <= 60
    before = len(counted)
    measure_where_due(ports, C, "document-1", 16)
    measure_where_due(ports, C, "document-2", 100)
    assert len(counted) == before + 2


def test_a_reindexed_collection_is_measured_anew(ports):
    add(ports, LEAST)
    ports.vectors.keep_figure(C, Spelling.embedder, OLD)
    reindex_collection(ReindexInput(drop=True), ports)
    assert ports.vectors.figure(C) is None
    reindex_collection(ReindexInput(drop=False), ports)
    assert ports.vectors.figure(C) not in (None, OLD)
