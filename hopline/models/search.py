"""Results of a search."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field, field_validator

from hopline.models.base import Frozen
from hopline.models.documents import Chunk, Document
from hopline.models.places import Place

# The walk over the graph; the similarity of the chunk's vector with the question's, and with what is asked
# beside the names in it; BM25 with the question's words, and with those beside the names; how high what names
# the document's title ranks.
Part = Literal["walk", "vector", "vector_asked", "words", "words_asked", "titled"]


class FoundElement(Frozen):
    """A key element near the question."""

    id: str
    name: str
    score: float  # its share of the walk, or its vector's similarity; comparable within one search
    asked: bool = False  # the question names it


class FoundFact(Frozen):
    """An atomic fact near the question."""

    id: str
    text: str
    chunk_id: str
    score: float  # 0..1 within one search
    elements: tuple[str, ...] = ()  # ids


class FoundChunk(Frozen):
    """A chunk with the reasons for its rank."""

    chunk: Chunk
    document: Document
    score: float  # 0..1 within one search
    parts: dict[Part, float] = {}  # raw, before fusion; a part that knows nothing is left out
    facts: tuple[FoundFact, ...] = ()  # best first
    elements: tuple[FoundElement, ...] = ()  # best first
    reasons: tuple[str, ...] = ()  # in plain words
    sentences: tuple[str, ...] = ()  # that say most of the question, where some are asked for
    place: Place | None = Field(
        default=None, description="Place of the best of these in the document's file; null if unknown."
    )

    @field_validator("parts", mode="before")
    @classmethod
    def _drop_unknown_parts(cls, parts: object) -> object:
        """Leave out fields that only a newer server knows."""
        known = get_args(Part)
        return (
            {part: raw for part, raw in parts.items() if part in known} if isinstance(parts, dict) else parts
        )


class Found(Frozen):
    """All results of a search."""

    question: str
    chunks: tuple[FoundChunk, ...] = ()  # best first
    facts: tuple[FoundFact, ...] = ()  # over all chunks, best first
    elements: tuple[FoundElement, ...] = ()  # best first; those that the question names come with asked=True
    # The rankings that were fused, as chunk ids, best first: what each way of searching says alone.
    rankings: dict[str, tuple[str, ...]] = {}  # words, vectors, hybrid
    seconds: dict[str, float] = {}  # per part of the search, and in all
    failed: dict[str, str] = {}  # a part that could not be had, with the reason; the rest still ranks
