"""Step ingest.link: writes chunks, facts and key elements into the graph, hidden until indexed."""

from __future__ import annotations

from typing import Annotated

from hopline.events.documents import ChunksLinked
from hopline.models.base import Frozen
from hopline.models.documents import Chunk, Document
from workers.core.jobs.work import Outcome
from workers.core.language.text import titled
from workers.core.ports import ChunkFacts, Ports
from workers.core.records import IN_FULL, AtomicFact
from workers.ingest.naming.cases import find_cases
from workers.ingest.naming.claims import find_claims
from workers.ingest.naming.short_forms import find_short_forms
from workers.ingest.pages import Embeddable, Typed, get_chunks, get_facts, put_embeddables, put_typed


class LinkInput(Frozen):
    """A part of a document; or, with an error, a document of which no chunk was extracted."""

    document: Annotated[Document, IN_FULL]
    error: str | None = None  # why the version fails, which stays hidden
    pages: tuple[str, ...] = ()  # blobs of chunks
    facts: tuple[str, ...] = ()  # blob per chunk of these pages; "" where its extraction failed
    first: bool | None = None  # whether it is the document's first part: for workers of the version before


class LinkResult(Frozen):
    """The data written; empty for a document that failed."""

    chunks: int | None = None
    facts: int | None = None
    embed: str | None = None  # blob of what is to be embedded
    typed: str | None = None  # blob of what a profile found; None without one


def link_chunks(part: LinkInput, ports: Ports) -> Outcome:
    """Write one transaction's worth of chunks, one without extraction too, so that its text can be found.

    Raises:
        DocumentSuperseded: a newer version of the document was opened.
    """
    document = part.document
    if part.error is not None:
        ports.graph.store.set_status(document.id, document.version, "failed", part.error)
        return Outcome(result=LinkResult())
    chunks = [
        with_names(document.collection, chunk, get_facts(ports.blobs, reference) if reference else ())
        for chunk, reference in zip(get_chunks(ports.blobs, part.pages), part.facts, strict=True)
    ]
    ports.graph.store.write_chunks(document, chunks)
    linked = ChunksLinked(chunks=len(chunks), facts=sum(len(chunk.facts) for chunk in chunks))
    result = LinkResult(
        chunks=linked.chunks,
        facts=linked.facts,
        embed=put_embeddables(ports.blobs, embeddables(document.title, chunks)),
        typed=put_typed(ports.blobs, typed_of(chunks)) if ports.job.params.get("profile") else None,
    )
    return Outcome(result=result, events=(linked,))


def with_names(collection: str, chunk: Chunk, facts: tuple[AtomicFact, ...]) -> ChunkFacts:
    """Return a chunk with its facts and its statements about names."""
    return ChunkFacts(
        chunk=chunk,
        facts=facts,
        claims=(*find_claims(chunk.text, facts), *find_cases(chunk.text, facts)),
        short_forms=find_short_forms(collection, facts),
    )


def typed_of(chunks: list[ChunkFacts]) -> Typed:
    """Return the typed entities, relations and events that a profile found in the given chunks."""
    facts = [fact for chunk in chunks for fact in chunk.facts]
    return Typed(
        entities=frozenset(element.id for fact in facts for element in fact.key_elements if element.types),
        relations=frozenset(
            (relation.source, relation.type, relation.target) for fact in facts for relation in fact.relations
        ),
        events=frozenset((fact.id, event.type, event.name) for fact in facts for event in fact.events),
    )


def embeddables(title: str, chunks: list[ChunkFacts]) -> list[Embeddable]:
    """Return the texts to embed for chunks of a document, each graph id once."""
    entries: dict[str, Embeddable] = {}
    for chunk_facts in chunks:
        chunk = chunk_facts.chunk
        entries[chunk.id] = (chunk.id, "chunk", titled(title, chunk.text))
        for fact in chunk_facts.facts:
            entries[fact.id] = (fact.id, "fact", fact.text)
            for element in fact.key_elements:
                entries[element.id] = (element.id, "element", element.name)
    return list(entries.values())
