"""Finds the key elements that a text leads to: by the walk where it names some, else by search."""

from __future__ import annotations

from hopline.models.search import Found
from workers.search.region import Live, Surroundings, named_in, starts_of
from workers.search.result import Teller
from workers.search.search import Searchable, search
from workers.search.walk import Region


def near_elements(text: str, collection: str, ports: Searchable, limit: int) -> Found:
    """Return the key elements that a text leads to, best first; chunks and facts only where it names nothing.

    Elements are ranked by the walk: where it has a start, words and vectors add nothing, and nothing is
    embedded.

    Args:
        text: a question, or what somebody needs to know.
        collection: where to look.
        ports: graph, vectors, and the model's embedder (one call, where nothing is named).
        limit: key elements at most.

    Raises:
        EmbedderMismatch, Transient: as `search`.
    """
    size = ports.graph.around.size(collection)
    source = Live(collection, ports.graph)
    named = named_in(text, collection, source)
    start = starts_of(named, size.chunks)
    if not start:
        return search(text, collection, ports, limit=1, elements=limit)
    walked = Surroundings(source, Region(facts=size.facts)).walk_from(start)
    teller = Teller(text, named, collection, ports.graph, source)
    return Found(question=text, elements=teller.elements(walked, limit))
