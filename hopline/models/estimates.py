"""Estimates of what an ingestion costs."""

from __future__ import annotations

from typing import Literal

from hopline.models.base import Frozen


class Bound(Frozen):
    """The time that one limit allows at best."""

    limit: str  # the setting, or what else bounds the work
    value: float | None  # None: not set
    low: float | None = None  # hours; None where they are not bounded, or cannot be told
    high: float | None = None
    told: str = ""


class Range(Frozen):
    """The range between the lowest and the highest measured value."""

    low: float
    high: float


class Prices(Frozen):
    """Prices per million tokens; None if unknown."""

    model: str
    prompt: float | None = None
    reply: float | None = None
    embedder: str = ""
    embedding: float | None = None
    currency: str = ""


class Spending(Frozen):
    """Tokens of all calls, and their cost."""

    prompt_tokens: float
    reply_tokens: Range
    embedding_tokens: float
    chat: Range | None  # cost; None: unknown
    embedding: float | None
    total: Range | None
    unknown: tuple[str, ...] = ()  # why a cost is


class Refusal(Frozen):
    """A document that ingestion will refuse."""

    place: str
    reason: str


class Total(Frozen):
    """Totals over all documents; expected values if not all were read."""

    documents: int  # named by the sources, of a format that is read
    read: int  # of these, read and split for this estimate
    bytes: int
    unreadable: int  # of all, extrapolated
    refused_count: int  # what sources name and is no document: other formats, broken lines, links
    chunks: float
    chunks_error: float  # half the width of a 95% interval; 0 where every document was read
    calls: float
    tokens: float
    prompt_tokens: float
    reserved_tokens: float
    pictured: float = 0.0  # pages that are pictures, and are recognised first; their text is not counted
    refused: tuple[Refusal, ...] = ()  # the first few that were met
    formats: dict[str, int] = {}


class Afterwards(Frozen):
    """Additions of these documents to an empty graph."""

    nodes: Range
    vectors: Range
    graph_bytes: Range
    vector_bytes: Range
    vector_memory: Range
    search_ms: float  # at the median, with the higher number of vectors
    search_measured: bool  # within the sizes that were measured; else drawn on from them
    warnings: tuple[str, ...] = ()


class Factor(Frozen):
    """A measured figure and where it comes from."""

    name: str
    value: float
    source: str


Via = Literal["calls", "batch"]
DIMENSION = 256  # of the vectors that were measured; another length changes 4 bytes a number


class Estimate(Frozen):
    """Everything that can be said before an ingestion."""

    sources: tuple[str, ...]
    total: Total
    spending: Spending
    prices: Prices
    reply_cap: int  # tokens that one reply may have at most
    bounds: tuple[Bound, ...]
    decides: Bound | None
    afterwards: Afterwards
    via: Via
    notes: tuple[str, ...]
    factors: tuple[Factor, ...] = ()  # what it was computed with
