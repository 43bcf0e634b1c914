"""Base of all records, and records of documents, chunks, atomic facts, key elements and a query's facts."""

from __future__ import annotations

import math
import re
from typing import Any, Literal, NamedTuple

from pydantic import (
    Field,
    PlainSerializer,
)

from hopline.models.base import Frozen, VisibleText
from hopline.models.documents import Document, KeyElement
from hopline.models.places import Place
from hopline.models.times import STORED
from workers.core.places import cells_at, columns_at, place_of, row_at


def _in_full(record: Frozen) -> dict[str, Any]:
    if not isinstance(record, Document):
        return record.model_dump(mode="json", context=STORED)
    # A document in transit is written without its metadata: the graph has it.
    written = record.model_dump(mode="json", context=STORED, exclude={"metadata"})
    return written | {"original_file": record.original_file}


# Of a record inside a stored one: all its fields are written, those that equal their defaults too, since
# workers of the version before read it so. Use: Annotated[Document, IN_FULL].
IN_FULL = PlainSerializer(_in_full, when_used="unless-none")


class FactRelation(Frozen):
    """A relation defined by a profile, which a fact states between two of its key elements."""

    source: str  # id of a key element of the fact
    type: str  # a relationship type of the profile
    target: str


class Participant(Frozen):
    """A person who experiences a major event."""

    element: str  # id of a key element of the fact
    role: str = ""
    outcome: str = ""


class FactEvent(Frozen):
    """A major event described by a fact."""

    type: str  # an event type of the profile
    name: str
    participants: tuple[Participant, ...] = ()


class AtomicFact(Frozen):
    """A single indivisible statement, with its place in one chunk of a document."""

    id: str
    text: str
    key_elements: tuple[KeyElement, ...] = ()
    title_id: str | None = None  # that one of them which only the document's title names
    start: int = Field(ge=0)  # offsets in the document's text
    end: int = Field(ge=0)
    match: float = Field(ge=0, le=1)  # lexical match of the fact with its span
    grounded: bool  # match reached the threshold
    relations: tuple[FactRelation, ...] = ()
    events: tuple[FactEvent, ...] = ()


class FactSource(Frozen):
    """A place of a fact in a document, with the text there."""

    fact_id: str
    fact: VisibleText
    chunk_id: str
    document_id: str
    title: VisibleText
    uri: str
    start: int
    end: int
    match: float
    grounded: bool
    quote: VisibleText  # the document's text from start to end
    chunk_start: int = 0
    chunk_places: str = ""  # see `places`; "" where that is not known

    @property
    def span(self) -> tuple[int, int]:
        """Its offsets within its chunk."""
        return self.start - self.chunk_start, self.end - self.chunk_start

    @property
    def place(self) -> Place | None:
        """The place of the fact in the document's file, if known; in a row, the only cell that states it."""
        told = [cell for _column, said, cell in self.cells[1:] if _tells(self.fact, said)]
        return place_of(self.chunk_places, *(told[0] if len(told) == 1 else self.span))

    @property
    def cells(self) -> list[tuple[str, str, tuple[int, int]]]:
        """The cells of its row as (column, text, offsets in the chunk); the first one names the row."""
        start, end = self.span
        cells = cells_at(self.chunk_places, start, end)
        return [
            (column, self.quote[max(0, begin - start) : last - start], (begin, last))
            for column, begin, last in cells
        ]

    @property
    def row(self) -> tuple[int, int, int] | None:
        """The table, the row's number and the number of rows, if it is a row and the rows were counted."""
        return row_at(self.chunk_places, *self.span)

    @property
    def stands(self) -> str:
        """The text that can support a sentence citing this place."""
        return "\n".join([self.quote, f"{self.title}.", *columns_at(self.chunk_places, *self.span)])


def _tells(fact: str, said: str) -> bool:
    """Return whether a fact says what a cell does: 71,500 is not told by 171,500."""
    return bool(re.search(rf"(?<![\w.,-]){re.escape(said)}(?![.,]?\w)", fact))


_UNTYPED = ("SHARES_FACT", "SEARCH", "MORE")  # joined by a fact, by a search; more of the node itself


class Neighbour(Frozen):
    """A node one hop away."""

    id: str
    name: str
    relationship: str  # relationship types between commas, or SHARES_FACT for two key elements of one fact
    shared: int = Field(default=1, ge=0)  # how many facts (or relationships) join the two
    degree: int = Field(default=1, ge=0)  # facts that hold the neighbour, counted from the graph
    context: str = ""  # the text of one fact that joins them: why to go there
    titled: bool = False  # only the titles of documents put it into the facts that join them
    spelled: str = ""  # its name as documents spell it, for people

    @property
    def is_typed(self) -> bool:
        """Whether a relation defined by a profile connects the two."""
        return self.relationship not in _UNTYPED

    @property
    def holds_more(self) -> bool:
        """Whether it may have facts other than those that the two share."""
        return self.is_typed or self.degree > self.shared

    @property
    def closeness(self) -> float:
        """Shared facts over the logarithm of all its facts: a hub shares something with everything."""
        return self.shared / math.log2(2 + self.degree)


class NodeReading(Frozen):
    """The data that one visit takes from the graph in one query."""

    id: str
    name: str
    labels: tuple[str, ...]
    element_id: str = ""  # of the database
    properties: dict[str, str | int | float | bool] = {}  # those that hopline did not write
    facts: tuple[FactSource, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    spelled: str = ""  # its name as documents spell it, for people


class GraphPlace(Frozen):
    """The place in a graph where a tool found a fact."""

    call: str  # item id of the call that found it
    nth: int  # among what tools found, in the order of asking
    said: VisibleText  # what of the fact the graph itself says
    row: dict[str, Any]  # value by column, bounded
    nodes: tuple[str, ...]  # element ids of the database
    relationships: tuple[str, ...]


class RawFact(Frozen):
    """A statement that a visit or a tool found relevant, with the ids of its origin."""

    fact_text: VisibleText
    source_node_id: str
    source_property: str | None = None
    source_qdrant_chunk_id: str | None = None
    source_fact_id: str | None = None  # the atomic fact in the graph
    extracted_from_depth: int = Field(ge=0)
    place: GraphPlace | None = None  # of a fact that a tool found in the graph itself


class QuotedFact(RawFact):
    """A raw fact with the context that a critic sees."""

    title: str = ""  # of the document, or the node or tool that it stands in
    quote: str = ""  # the text that says it, cut


class RankedFact(QuotedFact):
    """A raw fact with its rank before any critic has seen it."""

    search_score: float  # 0 to 1: the share of the question's terms in the fact


class ScoredFact(RawFact):
    """A raw fact with the critic's score."""

    score: float = Field(ge=0, le=1)
    source_description: str
    scored_by: Literal["critic", "default", "unscored"]
    looked_up: bool = False  # by an exact look-up of a tool: the code scored it, and scored_by is "default"


class FinalFact(ScoredFact):
    """A scored fact after decay."""

    final_decayed_score: float = Field(ge=0, le=1)


class Hit(NamedTuple):
    """One result of a vector or full-text search; a search compares hundreds, so it is a plain tuple."""

    id: str  # graph id
    kind: Literal["chunk", "fact", "element"]
    score: float
    text: str = ""
