"""Vectors of what the graph holds: storing them, and forgetting them again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from workers.core.ports import Ports, Removed
from workers.core.vectors import Point
from workers.ingest.store import Embeddable

BATCH = 256  # texts per embedding call and points per upsert


def store_vectors(ports: Ports, collection: str, entries: Iterable[Embeddable]) -> int:
    """Embed and upsert (graph id, kind, text) entries in batches; return how many were stored.

    Facts are left out where limits.embed_facts says so.
    """
    stored = 0
    wanted = (entry for entry in entries if entry[1] != "fact" or ports.limits.embed_facts)
    for batch in _batches(wanted):
        vectors = ports.model.embed([text for _id, _kind, text in batch])
        ports.vectors.upsert(
            collection,
            [
                Point(graph_id=graph_id, kind=kind, vector=tuple(vector))
                for (graph_id, kind, _text), vector in zip(batch, vectors, strict=True)
            ],
        )
        stored += len(batch)
    return stored


def forget_vectors(ports: Ports, collection: str, removed: Removed) -> int:
    """Delete the vectors of what the graph no longer holds; return how many ids that were.

    Another document may write one of these facts again between the graph's removal and this deletion, and
    its fresh vector would be lost: so what the graph holds once more is embedded once more.
    """
    gone = [*removed.chunks, *removed.facts, *removed.elements]
    if gone:
        ports.vectors.delete(collection, gone)
        store_vectors(ports, collection, ports.graph.held(collection, gone))
    return len(gone)


def _batches(entries: Iterable[Embeddable]) -> Iterator[Sequence[Embeddable]]:
    rest = iter(entries)
    while batch := list(islice(rest, BATCH)):
        yield batch
