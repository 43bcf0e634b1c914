"""Measures a collection's graph, so that a batch can report how much it added."""

from __future__ import annotations

import heapq
import time

from workers.adapters.neo4j.connection import Connection
from workers.core.jobs.report import Growth

_PAGE = 20_000  # key elements
_HUBS = 50  # more than a report shows, so that what grows into one was mostly counted before


def count_growth(connection: Connection, collection: str, seconds: float) -> Growth | None:
    """Return a collection's key elements and largest hubs; see `core.ports.Graph.growth`."""
    until = time.monotonic() + seconds
    elements, after = 0, ""
    hubs: list[tuple[int, str]] = []
    while True:
        row = connection.run("growth", collection=collection, after=after, limit=_PAGE, hubs=_HUBS)[0]
        if row["last"] is None:
            return Growth(elements=elements, hubs={name: degree for degree, name in hubs})
        elements, after = elements + row["elements"], row["last"]
        found = [(hub["degree"], hub["name"]) for hub in row["hubs"] if hub["degree"] > 0]
        hubs = heapq.nlargest(_HUBS, [*hubs, *found])
        if time.monotonic() > until:
            return None
