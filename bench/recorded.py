"""Passages with facts that a model once extracted, loaded as ingestion would have written them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hopline.models.documents import Chunk, Document
from workers.core import ids
from workers.core.graph.elements import normalise_element
from workers.core.ports import ChunkFacts, Ports
from workers.ingest.extract import build_facts
from workers.ingest.link import embeddables
from workers.ingest.pages import Embeddable
from workers.ingest.schema import ExtractedFact
from workers.ingest.spans import SentenceIndex
from workers.ingest.vectors import store_vectors

_PARTS = 3  # subject, predicate, object
_ELEMENTS = 40  # of a fact, as the schema has it


def load_recorded(path: Path, ports: Ports) -> Counter[str]:
    """Write every passage as a live document with one chunk; return what was counted.

    A triple becomes a fact; its subject, its object, the passage's title, and the entities that stand in the
    fact or in the sentence that says it, become its key elements. Malformed rows are dropped and counted.
    """
    counted: Counter[str] = Counter()
    entries: dict[str, Embeddable] = {}
    for row in _rows(path):
        document, chunk = _document(ports.job.collection, row)
        extracted = _facts(row, chunk.text, counted)
        facts = build_facts(ports.job.collection, chunk, extracted, ports, title=document.title)
        opened = ports.graph.store.open_version(document)
        chunks = [ChunkFacts(chunk=chunk, facts=facts)]
        ports.graph.store.write_chunks(opened, chunks)
        entries.update((entry[0], entry) for entry in embeddables(row["title"], chunks))
        ports.graph.store.make_live(opened)
        counted["passages"] += 1
        counted["facts written"] += len(facts)
    ports.vectors.prepare(ports.job.collection, ports.model.embedder)
    counted["vectors"] = store_vectors(ports, ports.job.collection, entries.values())
    return counted


def distinct_names(path: Path) -> dict[str, int]:
    """Return how many key elements the names are: as written, without regard to case, by the rules."""
    names = {name for row in _rows(path) for name in _names(row)}
    return {
        "as written": len(names),
        "case aside": len({name.casefold() for name in names}),
        "by the rules": len({normalise_element(name) for name in names} - {""}),
    }


def _names(row: dict[str, Any]) -> Iterator[str]:
    yield row["title"]
    yield from (entity for entity in row["extracted_entities"] if isinstance(entity, str))
    for triple in filter(_is_triple, row["extracted_triples"]):
        yield from (triple[0], triple[2])


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _document(collection: str, row: dict[str, Any]) -> tuple[Document, Chunk]:
    title, text = row["title"], row["text"]
    hashed = ids.content_hash(text)
    name = ids.document_id(collection, f"{title} {hashed}")  # two passages may have one title
    document = Document(
        id=name, collection=collection, uri=f"{title} {hashed}", title=title, content_hash=hashed
    )
    chunk = Chunk(
        id=ids.chunk_id(name, text, 0),
        index=0,
        text=text,
        start=0,
        end=len(text),
        tokens=len(text) // 4,
        content_hash=hashed,
    )
    return document, chunk


def _facts(row: dict[str, Any], text: str, counted: Counter[str]) -> Iterator[ExtractedFact]:
    index = SentenceIndex(text)
    for triple in row["extracted_triples"]:
        counted["triples"] += 1
        if not _is_triple(triple):
            counted["malformed triples"] += 1
            continue
        statement = " ".join(triple)
        place = index.locate(statement)
        around = f"{statement}\n{text[place.start : place.end]}".casefold()
        entities = [
            entity
            for entity in row["extracted_entities"]
            if isinstance(entity, str) and entity.casefold() in around
        ]
        named = [triple[0], triple[2], *entities]
        yield ExtractedFact(text=statement[:2000], key_elements=list(dict.fromkeys(named))[:_ELEMENTS])


def _is_triple(value: Any) -> bool:
    return (
        isinstance(value, Sequence)
        and len(value) == _PARTS
        and all(isinstance(part, str) and part.strip() for part in value)
    )
