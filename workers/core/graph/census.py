"""Models of a graph's counts, which tell an operator whether it is well connected."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field

from hopline.models.base import Frozen
from workers.core.graph.vectors import EmbedderFigure


class Counts(Frozen):
    """How many nodes of each kind."""

    documents: int = 0
    chunks: int = 0
    facts: int = 0
    elements: int = 0


class DegreeBin(Frozen):
    """How many key elements are held by low to high facts, both included."""

    low: int = Field(ge=1)
    high: int = Field(ge=1)
    elements: int


class Hub(Frozen):
    """A key element that many facts hold."""

    id: str
    name: str
    degree: int  # facts
    share: float  # of the collection's facts, 0..1


class Example(Frozen):
    """A node that lacks something, and where it stands."""

    id: str
    text: str  # its beginning
    document: str = ""  # the title of one that holds it


class LengthBin(Frozen):
    """How many facts take low to high tokens, both included."""

    low: int = Field(ge=1)
    high: int = Field(ge=1)
    facts: int


class FactLengths(Frozen):
    """How long live facts are; very short ones mostly lack context."""

    counted: int = 0  # facts whose tokens were counted: of a large collection a sample, the first by id
    bins: tuple[LengthBin, ...] = ()  # each twice as wide as the one before
    shortest: tuple[Example, ...] = ()  # of all facts, by characters, shortest first
    longest: tuple[Example, ...] = ()  # longest first


class Lacking(Frozen):
    """Nodes that lack something."""

    count: int = 0
    examples: tuple[Example, ...] = ()  # a few, in the order of their ids


class GraphCensus(Frozen):
    """A collection's graph in numbers; where nothing else is said, what readers see.

    It is counted a page at a time, so what is written meanwhile may be counted in part.
    """

    collection: str
    live: Counts = Counts()
    hidden: Counts = Counts()  # of versions that are being written or removed, and held by nothing live
    orphans: Counts = Counts()  # held by no document's version at all
    merged: int = 0  # key elements that only lead to another
    labels: dict[str, int] = {}  # of a profile → live elements that have it
    relationships: dict[str, int] = {}  # type → how many between live nodes, those of a profile included
    degrees: tuple[DegreeBin, ...] = ()  # of live elements; each bin is twice as wide as the one before
    hubs: tuple[Hub, ...] = ()  # highest degree first
    ungrounded: Lacking = Lacking()  # facts that no sentence was found for
    facts_without_elements: Lacking = Lacking()
    chunks_without_facts: Lacking = Lacking()
    fact_lengths: FactLengths | None = None  # None where they were not asked for
    embedder: EmbedderFigure | None = None  # None: not measured, or the vectors are away
    seconds: float = 0.0


def degree_bins(counted: Iterable[tuple[int, int]]) -> tuple[DegreeBin, ...]:
    """Return the distribution of degrees in bins 1, 2 to 3, 4 to 7, 8 to 15, …, empty ones between included.

    Args:
        counted: (degree, elements); a degree may come several times, and those below 1 are left out.
    """
    return tuple(DegreeBin(low=low, high=high, elements=count) for low, high, count in _doubling(counted))


def length_bins(lengths: Iterable[int]) -> tuple[LengthBin, ...]:
    """Return the distribution of facts' tokens in the same bins; a fact without a token is left out."""
    binned = _doubling((length, 1) for length in lengths)
    return tuple(LengthBin(low=low, high=high, facts=count) for low, high, count in binned)


def _doubling(counted: Iterable[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Return (low, high, how many) of bins that double, from 1 to the one of the largest value."""
    widths: dict[int, int] = {}
    for value, many in counted:
        if value > 0:
            width = value.bit_length()
            widths[width] = widths.get(width, 0) + many
    return [
        (1 << (width - 1), (1 << width) - 1, widths.get(width, 0))
        for width in range(1, max(widths, default=0) + 1)
    ]
