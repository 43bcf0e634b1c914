"""Records which embedder made each collection's vectors, in a Qdrant collection of its own.

Apart from the client, which takes half a second to import.
"""

from __future__ import annotations

from workers.core.errors import EmbedderMismatch
from workers.core.graph.vectors import Embedder
from workers.core.ids import point_id
from workers.core.jobs.work import Json

REGISTER = "hopline-collections"  # the Qdrant collection


def entry_id(collection: str) -> str:
    """Return the id of a collection's point."""
    return point_id(f"collection {collection}")


def entry(collection: str, embedder: Embedder) -> Json:
    """Return the payload of a collection's point."""
    return {"collection": collection, "embedder": embedder.name, "dimension": embedder.dimension}


def embedder_of(payload: Json) -> Embedder:
    """Return the embedder that a payload names."""
    return Embedder(name=payload["embedder"], dimension=payload["dimension"])


def mismatch(collection: str, kept: Embedder, wanted: str) -> EmbedderMismatch:
    """Return the error of a collection that another embedder made than the one in use."""
    return EmbedderMismatch(
        f"collection {collection!r} is built with the embedder {kept.name!r} of {kept.dimension} dimensions,"
        f" in use is {wanted}: configure the first again, or run `hopline reindex`"
    )
