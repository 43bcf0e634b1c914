"""A collection's graph in numbers."""

from __future__ import annotations

from pydantic import Field

from hopline.models.base import Frozen

_USUAL = 1.1  # reciprocal ranks by vector over those by BM25, of the embedder that the weights were set with

_PRIOR = 16  # pairs that the usual weight is worth

_MOST = 2.0


class EmbedderFigure(Frozen):
    """Quality of an embedder: how well it finds related texts in a sample of a collection's chunks."""

    vectors: float  # mean reciprocal rank, 0..1, of a sentence's own passage by its vector
    words: float  # the same by BM25
    pairs: int  # in the sample
    chunks: int  # that the collection held then

    @property
    def weight(self) -> float:
        """Factor for the ranker's weights of vectors, 0 to 2; 1 changes nothing.

        The weights were set with an embedder that finds a sentence's passage about as well as BM25 does.
        One that finds it better or worse counts for the square of the ratio (docs/adr/0057). Of few pairs
        the figure is shrunk towards 1, as a mean is towards a prior that is worth so many observations.
        """
        if not self.pairs or self.words <= 0:
            return 1.0
        ratio = self.vectors / (_USUAL * self.words)
        sure = self.pairs / (self.pairs + _PRIOR)
        return min(_MOST, 1 + sure * (ratio**2 - 1))


class Counts(Frozen):
    """Number of nodes of each kind."""

    documents: int = 0
    chunks: int = 0
    facts: int = 0
    elements: int = 0


class DegreeBin(Frozen):
    """Number of key elements that occur in `low` to `high` facts, both included."""

    low: int = Field(ge=1)
    high: int = Field(ge=1)
    elements: int


class Hub(Frozen):
    """A key element that occurs in many facts."""

    id: str
    name: str
    degree: int  # facts
    share: float  # of the collection's facts, 0..1


class CensusExample(Frozen):
    """A node that lacks something, and its place."""

    id: str
    text: str  # its beginning
    document: str = ""  # the title of one that holds it


class LengthBin(Frozen):
    """Number of facts with `low` to `high` tokens, both included."""

    low: int = Field(ge=1)
    high: int = Field(ge=1)
    facts: int


class FactLengths(Frozen):
    """Distribution of the lengths of live facts; very short facts mostly lack context."""

    counted: int = 0  # facts whose tokens were counted: of a large collection a sample, the first by id
    bins: tuple[LengthBin, ...] = ()  # each twice as wide as the one before
    shortest: tuple[CensusExample, ...] = ()  # of all facts, by characters, shortest first
    longest: tuple[CensusExample, ...] = ()  # longest first


class Lacking(Frozen):
    """Counts of nodes that lack something."""

    count: int = 0
    examples: tuple[CensusExample, ...] = ()  # a few, in the order of their ids


class GraphCensus(Frozen):
    """A collection's graph in numbers, as readers see it unless stated otherwise.

    It is counted page by page, so data written meanwhile may be counted in part.
    """

    collection: str
    title: str = ""
    description: str = ""
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
