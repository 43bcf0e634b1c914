"""Ranked search over the graph: which chunks, facts and key elements does a question lead to?"""

from __future__ import annotations

import time
from typing import Protocol

from workers.core.errors import Permanent
from workers.core.ports import Graph, Model, Vectors
from workers.search.found import Found, FoundChunk, FoundElement


class Searchable(Protocol):
    """What a search needs; a step's ports and a process's services both have it."""

    @property
    def graph(self) -> Graph:
        """The graph."""

    @property
    def vectors(self) -> Vectors:
        """The vector store."""

    @property
    def model(self) -> Model:
        """Its embedder is used, nothing else."""


def search(
    question: str, collection: str, ports: Searchable, *, limit: int = 10, elements: int = 50
) -> Found:
    """Return the chunks that a question leads to, best first, without asking a language model.

    Args:
        question: as asked; up to 4,000 characters.
        collection: where to look.
        ports: graph, vectors, and the model's embedder (one call).
        limit: chunks at most.
        elements: key elements at most.
    """
    begun = time.perf_counter()
    try:
        ports.vectors.check(collection, ports.model.embedder)
        vector = ports.model.embed([question])
        near = ports.vectors.search(collection, vector, "chunk", limit)[0]
        named = ports.vectors.search(collection, vector, "element", elements)[0]
    except Permanent as error:
        return Found(question=question, failed={"vectors": str(error)[:300]})
    scores = {hit.id: hit.score for hit in near}
    chunks = [
        FoundChunk(chunk=chunk, document=document, score=scores[chunk.id])
        for chunk, document in ports.graph.chunks(collection, list(scores))
    ]
    names = {element.id: element.name for element in ports.graph.elements(collection, [h.id for h in named])}
    return Found(
        question=question,
        chunks=tuple(chunks),
        elements=tuple(
            FoundElement(id=hit.id, name=names[hit.id], score=hit.score) for hit in named if hit.id in names
        ),
        seconds={"all": time.perf_counter() - begun},
    )
