"""Estimates the size after ingestion (nodes, vectors, bytes, search time); warns of too small a machine."""

from __future__ import annotations

from hopline.models.base import Frozen
from hopline.models.estimates import DIMENSION, Afterwards, Range, Total
from producer.estimate.factors import (
    ELEMENTS,
    FACTS_HIGH,
    FACTS_LOW,
    NODE_BYTES,
    NUMBER_BYTES,
    SEARCH_SLOPE,
    SEARCHES,
    VECTOR_DISK,
    VECTOR_MEMORY,
)

_SLOW_MS = 250.0  # of the vectors' part of a search: what a reader begins to notice
_GIGABYTE = 1e9


class Machine(Frozen):
    """What the warnings are held against."""

    memory: int  # bytes
    disk_free: int  # bytes, where the local stack keeps its data
    local_vectors: bool  # the vector store is on this machine, and so may be the local endpoint


def afterwards(total: Total, *, dimension: int, embed_facts: bool, machine: Machine) -> Afterwards:
    """Estimate what the documents add to the graph and the vectors.

    Args:
        total: the documents, counted.
        dimension: length of the embedder's vectors.
        embed_facts: whether facts have vectors, too.
        machine: for the warnings.
    """
    elements = total.tokens * ELEMENTS.value
    facts = Range(low=total.tokens * FACTS_LOW.value, high=total.tokens * FACTS_HIGH.value)
    whole = total.documents - total.unreadable + total.chunks + elements
    nodes = Range(low=whole + facts.low, high=whole + facts.high)
    bare = total.chunks + elements
    vectors = Range(
        low=bare + (facts.low if embed_facts else 0), high=bare + (facts.high if embed_facts else 0)
    )
    longer = NUMBER_BYTES * (dimension - DIMENSION)
    memory = _times(vectors, VECTOR_MEMORY.value + longer)
    forecast = Afterwards(
        nodes=nodes,
        vectors=vectors,
        graph_bytes=_times(nodes, NODE_BYTES.value),
        vector_bytes=_times(vectors, VECTOR_DISK.value + longer),
        vector_memory=memory,
        search_ms=_search_ms(vectors.high),
        search_measured=vectors.high <= SEARCHES[-1][1],
    )
    return forecast.model_copy(update={"warnings": tuple(_warnings(forecast, machine))})


def _times(span: Range, factor: float) -> Range:
    return Range(low=span.low * factor, high=span.high * factor)


def _search_ms(vectors: float) -> float:
    """Return the median of a search: the slowest that was measured, and more for more vectors than that."""
    _facts, most, _part, _whole = SEARCHES[-1]
    slowest = max(whole for *_rest, whole in SEARCHES)
    return slowest + max(0.0, vectors - most) * SEARCH_SLOPE.value


def _warnings(forecast: Afterwards, machine: Machine) -> list[str]:
    warnings = []
    vectors = forecast.vectors.high
    part = SEARCHES[0][2] + max(0.0, vectors - SEARCHES[0][1]) * SEARCH_SLOPE.value
    if machine.local_vectors and part > _SLOW_MS:
        warnings.append(
            f"the local vector endpoint compares a question with every vector: about {part:,.0f} ms a search "
            "with that many; set HOPLINE_QDRANT_URL to a Qdrant server, which has an index"
        )
    if machine.local_vectors and forecast.vector_memory.high > machine.memory / 2:
        warnings.append(
            f"the local vector endpoint would take {_gb(forecast.vector_memory.high)} of this machine's "
            f"{_gb(machine.memory)} of memory: set HOPLINE_QDRANT_URL to a Qdrant server"
        )
    if forecast.graph_bytes.high + forecast.vector_memory.high > machine.memory:
        warnings.append(
            f"one machine like this one is not enough: graph ({_gb(forecast.graph_bytes.high)}) and vectors "
            f"({_gb(forecast.vector_memory.high)}) do not fit into {_gb(machine.memory)} of memory together; "
            "give Neo4j a machine of its own (docs/operations.md)"
        )
    disk = forecast.graph_bytes.high + forecast.vector_bytes.high
    if disk > machine.disk_free:
        warnings.append(
            f"the disk is too small: {_gb(disk)} of graph and vectors, {_gb(machine.disk_free)} free here"
        )
    return warnings


def _gb(size: float) -> str:
    return f"{size / _GIGABYTE:,.1f} GB"
