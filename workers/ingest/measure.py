"""Measures a collection's embedder when the collection is new, has grown much, or has another embedder."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

import structlog

from hopline.errors import Permanent, Transient
from hopline.models.census import EmbedderFigure
from workers.core.errors import BudgetExceeded
from workers.core.ports import Ports

LEAST = 32  # chunks of a collection whose embedder is measured: of fewer the figure would say little
_GROWN = 4  # times as many chunks as there were, or as few
_EVERY = 16  # documents; one of them checks whether a figure is due: one round trip for all
_TEXTS = 64  # for each embedding call

_log = structlog.get_logger()
_lock = threading.Lock()
_measured_now: set[str] = set()  # collections, by threads of this process


def measure_where_due(ports: Ports, collection: str, document_id: str, chunks: int) -> None:
    """Measure the collection's embedder after a document if it is due; a failure is only logged.

    The documents that check this are chosen by their ids, so that no process has to count.

    Args:
        ports: graph, vectors and the embedder.
        collection: collection of the document.
        document_id: id of the document that has become live.
        chunks: number of chunks in the document.
    """
    if chunks >= _EVERY or zlib.crc32(document_id.encode()) % _EVERY == 0:
        measure_embedder(ports, collection)


def measure_embedder(ports: Ports, collection: str, *, anew: bool = False) -> EmbedderFigure | None:
    """Return the figure if one was due and could be measured; a failure is only logged.

    Args:
        ports: graph, vectors and the embedder.
        collection: collection of the embedder.
        anew: measure even if there is a figure for a collection of about this size.
    """
    with _turn(collection) as is_mine:
        return _measured_if_due(ports, collection, anew=anew) if is_mine or anew else None


@contextmanager
def _turn(collection: str) -> Iterator[bool]:
    """Yield whether no other thread of this process measures the collection.

    Documents that end together would each find that a figure is due, and embed the same texts as often.
    """
    with _lock:
        if is_mine := collection not in _measured_now:
            _measured_now.add(collection)
    try:
        yield is_mine
    finally:
        if is_mine:
            _measured_now.discard(collection)


def _measured_if_due(ports: Ports, collection: str, *, anew: bool) -> EmbedderFigure | None:
    try:
        held = ports.vectors.count(collection, "chunk")
        if held < LEAST or not (anew or _is_due(ports.vectors.figure(collection), held)):
            return None
        return _measured(ports, collection, held)
    except (Transient, Permanent, BudgetExceeded) as error:
        _log.warning("embedder.not_measured", collection=collection, reason=str(error)[:300])
        return None


def _is_due(figure: EmbedderFigure | None, held: int) -> bool:
    return figure is None or not figure.chunks / _GROWN < held < figure.chunks * _GROWN


def _measured(ports: Ports, collection: str, held: int) -> EmbedderFigure:
    from workers.search.embedder_figure import figure_of, pairs_of  # noqa: PLC0415 - numpy, as in a search

    pairs = pairs_of(_sample(ports, collection))
    texts = [pair.sentence for pair in pairs] + [pair.rest for pair in pairs]
    vectors: list[list[float]] = []
    for begin in range(0, len(texts), _TEXTS):
        vectors += ports.model.embed(texts[begin : begin + _TEXTS])
    figure = figure_of(pairs, vectors, held)
    ports.vectors.keep_figure(collection, ports.model.embedder, figure)
    _log.info("embedder.measured", collection=collection, weight=round(figure.weight, 2), **dict(figure))
    return figure


def _sample(ports: Ports, collection: str) -> Iterator[str]:
    """Yield the texts of the first chunks by id, which are hashes: a sample without bias, and stable."""
    for page in islice(ports.graph.nodes.texts(collection), 1):
        yield from (text for _id, kind, text in page if kind == "chunk")
