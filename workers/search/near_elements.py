"""Finds the key elements related to a text: by the walk if it names any, otherwise by search."""

from __future__ import annotations

from hopline.models.search import Found
from workers.search.region import Live, Surroundings, named_in, starts_of
from workers.search.result import Teller
from workers.search.search import Searchable, search
from workers.search.walk import Region


def near_elements(text: str, collection: str, ports: Searchable, limit: int) -> Found:
    """Return the key elements related to a text, best first; chunks and facts only if it names none.

    Elements are ranked by the walk: if it has a start, words and vectors add nothing, and nothing is
    embedded.

    Args:
        text: a question, or information that is needed.
        collection: collection to search.
        ports: graph, vectors, and the model's embedder (one call, if nothing is named).
        limit: maximum number of key elements.

    Raises:
        EmbedderMismatch, Transient: as for `search`.
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
