"""Step ingest.reindex: rebuilds a collection's vectors from the graph."""

from __future__ import annotations

from collections.abc import Iterator

from workers.core.jobs.work import Event, Json, Outcome
from workers.core.ports import Ports
from workers.ingest.pages import Embeddable
from workers.ingest.vectors import store_vectors


def reindex_collection(given: Json, ports: Ports) -> Outcome:
    """Drop the vectors of the job's collection, or build them; two items, so that building can be repeated.

    Input: {drop: true} or {drop: false}. Result: {vectors: how many were built}.
    """
    collection = ports.job.collection
    if given["drop"]:
        ports.vectors.drop(collection)
        return Outcome(result={"vectors": 0})
    ports.vectors.prepare(collection, ports.model.embedder)
    built = store_vectors(ports, collection, _everything(ports, collection))
    event = Event(name="collection.reindexed", data={"vectors": built})
    return Outcome(result={"vectors": built}, events=(event,))


def _everything(ports: Ports, collection: str) -> Iterator[Embeddable]:
    for page in ports.graph.texts(collection):
        yield from page
