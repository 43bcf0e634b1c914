"""Step ingest.reindex: rebuilds a collection's vectors from the graph."""

from __future__ import annotations

from collections.abc import Iterator

from workers.core.events.documents import CollectionReindexed
from workers.core.jobs.work import Outcome
from workers.core.model import Frozen
from workers.core.ports import Ports
from workers.ingest.pages import Embeddable
from workers.ingest.vectors import store_vectors


class ReindexInput(Frozen):
    """Which half of the work it is."""

    drop: bool  # the vectors; else they are built


class ReindexResult(Frozen):
    """What was built."""

    vectors: int


def reindex_collection(half: ReindexInput, ports: Ports) -> Outcome:
    """Drop the vectors of the job's collection, or build them: two items, so that building may repeat."""
    collection = ports.job.collection
    if half.drop:
        ports.vectors.drop(collection)
        return Outcome(result=ReindexResult(vectors=0))
    ports.vectors.prepare(collection, ports.model.embedder)
    built = store_vectors(ports, collection, _everything(ports, collection))
    event = CollectionReindexed(vectors=built)
    return Outcome(result=ReindexResult(vectors=built), events=(event,))


def _everything(ports: Ports, collection: str) -> Iterator[Embeddable]:
    for page in ports.graph.nodes.texts(collection):
        yield from page
