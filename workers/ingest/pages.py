"""Passes large data between steps through the blob store, in pages, so that items stay small."""

from __future__ import annotations

from collections.abc import Sequence

import orjson
from pydantic import TypeAdapter

from hopline.models.base import Frozen
from hopline.models.documents import Chunk
from workers.core.graph.vectors import Kind
from workers.core.places import Map
from workers.core.ports import Blobs
from workers.core.records import AtomicFact
from workers.ingest.reading.scans.recognised import Recognised, as_json, from_json

CHUNKS_PER_PAGE = 20  # some 50 kB: a chunk's extraction reads one page

Embeddable = tuple[str, Kind, str]  # graph id, kind, text


class Typed(Frozen):
    """What a profile found, by what makes each one different from others."""

    entities: frozenset[str] = frozenset()  # ids of key elements that have a type
    relations: frozenset[tuple[str, str, str]] = frozenset()  # source, type, target
    events: frozenset[tuple[str, str, str]] = frozenset()  # fact, type, name

    def __or__(self, other: Typed) -> Typed:
        """Return what either has."""
        return Typed(
            entities=self.entities | other.entities,
            relations=self.relations | other.relations,
            events=self.events | other.events,
        )

    @property
    def counts(self) -> dict[str, int]:
        """Number of different ones of each."""
        return {name: len(getattr(self, name)) for name in ("entities", "relations", "events")}


_CHUNKS = TypeAdapter(tuple[Chunk, ...])
_FACTS = TypeAdapter(tuple[AtomicFact, ...])
_EMBEDDABLES = TypeAdapter(list[Embeddable])


def put_text(blobs: Blobs, text: str) -> str:
    """Store a document's text; return its reference."""
    return blobs.put(text.encode("utf-8"), ".txt")


def get_text(blobs: Blobs, reference: str) -> str:
    """Return a stored text."""
    return blobs.get(reference).decode("utf-8")


def put_places(blobs: Blobs, places: Map) -> str:
    """Store the map from offsets to places; return its reference, or "" if it is empty."""
    return blobs.put(orjson.dumps(places), ".json") if any(places.values()) else ""


def get_places(blobs: Blobs, reference: str) -> Map:
    """Return a stored map of places."""
    places: Map = orjson.loads(blobs.get(reference)) if reference else {}
    return places


def put_recognised(blobs: Blobs, pages: Recognised) -> str:
    """Store the recognised text of some pages; return its reference."""
    return blobs.put(as_json(pages).encode(), ".json")


def get_recognised(blobs: Blobs, reference: str) -> Recognised:
    """Return the recognised text of some pages."""
    return from_json(blobs.get(reference).decode())


def put_chunks(blobs: Blobs, chunks: Sequence[Chunk]) -> list[str]:
    """Store chunks in pages; return the pages' references in order."""
    return [
        blobs.put(_CHUNKS.dump_json(tuple(chunks[first : first + CHUNKS_PER_PAGE])), ".json")
        for first in range(0, len(chunks), CHUNKS_PER_PAGE)
    ]


def get_chunk(blobs: Blobs, page: str, at: int) -> Chunk:
    """Return one chunk of a page."""
    return Chunk.read_stored(orjson.loads(blobs.get(page))[at])


def get_chunks(blobs: Blobs, pages: Sequence[str]) -> list[Chunk]:
    """Return all chunks of some pages."""
    return [chunk for page in pages for chunk in _CHUNKS.validate_json(blobs.get(page), extra="ignore")]


def get_contents(blobs: Blobs, pages: Sequence[str]) -> dict[str, str]:
    """Return the content_hash of each chunk of some pages, by the chunk's id."""
    return {chunk["id"]: chunk["content_hash"] for page in pages for chunk in orjson.loads(blobs.get(page))}


def put_facts(blobs: Blobs, facts: Sequence[AtomicFact]) -> str:
    """Store a chunk's facts; return the reference."""
    return blobs.put(_FACTS.dump_json(tuple(facts)), ".json")


def get_facts(blobs: Blobs, reference: str) -> tuple[AtomicFact, ...]:
    """Return a chunk's facts."""
    return _FACTS.validate_json(blobs.get(reference), extra="ignore")


def put_typed(blobs: Blobs, typed: Typed) -> str:
    """Store a profile's results for some chunks; return the reference."""
    contents = {name: sorted(values) for name, values in typed}  # the same bytes at every run
    return blobs.put(orjson.dumps(contents), ".json")


def get_typed(blobs: Blobs, reference: str) -> Typed:
    """Return a profile's results for some chunks."""
    return Typed.read_stored(blobs.get(reference))


def put_embeddables(blobs: Blobs, entries: Sequence[Embeddable]) -> str:
    """Store the texts to embed; return the reference."""
    return blobs.put(orjson.dumps(entries), ".json")


def get_embeddables(blobs: Blobs, reference: str) -> list[Embeddable]:
    """Return the texts to embed."""
    return _EMBEDDABLES.validate_json(blobs.get(reference), extra="ignore")
