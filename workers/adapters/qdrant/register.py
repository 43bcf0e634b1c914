"""Records which embedder made each collection's vectors, and how good it is there, in a Qdrant collection.

The figure is a separate point beside the collection's own, so that old workers ignore it, and storing it
cannot restore an embedder that was replaced meanwhile.

Apart from the client, which takes half a second to import.
"""

from __future__ import annotations

from collections.abc import Sequence

from hopline.models.base import Frozen
from hopline.models.census import EmbedderFigure
from hopline.models.jobs import Json
from workers.core.errors import EmbedderMismatch
from workers.core.graph.vectors import Embedder
from workers.core.ids import point_id

REGISTER = "hopline-collections"  # the Qdrant collection


class Registered(Frozen):
    """What is known of a collection's vectors."""

    embedder: Embedder
    figure: EmbedderFigure | None = None  # of this embedder


def entry_id(collection: str) -> str:
    """Return the id of a collection's point."""
    return point_id(f"collection {collection}")


def entry(collection: str, embedder: Embedder) -> Json:
    """Return the payload of a collection's point."""
    return {"collection": collection, "embedder": embedder.name, "dimension": embedder.dimension}


def embedder_of(payload: Json) -> Embedder:
    """Return the embedder that a payload names."""
    return Embedder(name=payload["embedder"], dimension=payload["dimension"])


def figure_id(collection: str) -> str:
    """Return the id of the point with the figure of a collection's embedder."""
    return point_id(f"figure {collection}")


def figure_payload(collection: str, embedder: Embedder, figure: EmbedderFigure) -> Json:
    """Return the payload of that point."""
    return entry(collection, embedder) | {"figure": figure.model_dump()}


def registered(payloads: Sequence[Json]) -> Registered | None:
    """Return the data in a collection's points; another embedder's figure is left out."""
    made_by = next((embedder_of(payload) for payload in payloads if "figure" not in payload), None)
    if made_by is None:
        return None
    figures = (
        payload["figure"] for payload in payloads if "figure" in payload and embedder_of(payload) == made_by
    )
    figure = next(figures, None)
    return Registered(embedder=made_by, figure=EmbedderFigure.read_stored(figure) if figure else None)


def mismatch(collection: str, kept: Embedder, wanted: str) -> EmbedderMismatch:
    """Return the error of a collection that another embedder made than the one in use."""
    return EmbedderMismatch(
        f"collection {collection!r} is built with the embedder {kept.name!r} of {kept.dimension} dimensions,"
        f" in use is {wanted}: configure the first again, or run `hopline collections reindex`"
    )
