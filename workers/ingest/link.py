"""Step ingest.link: writes chunks, facts and key elements into the graph, hidden until indexed."""

from __future__ import annotations

from workers.core.jobs.work import Event, Json, Outcome
from workers.core.language.text import titled
from workers.core.model import Document
from workers.core.ports import ChunkFacts, Ports
from workers.ingest.pages import Embeddable, Typed, get_chunks, get_facts, put_embeddables, put_typed


def link_chunks(given: Json, ports: Ports) -> Outcome:
    """Write one transaction's worth of chunks.

    Input: {document, pages: references, facts: per chunk of these pages its facts' reference, "" if the
    extraction failed, first: is this the document's first part}. A chunk without extraction is written too,
    so that its text can be found. Result: {embed: reference, chunks, facts}, and with a
    profile {typed: reference of what it found}.

    With {document, error} instead, every extraction failed: the version is marked failed and stays hidden.

    Raises:
        DocumentSuperseded: a newer version of the document was opened.
    """
    document = Document.read_stored(given["document"])
    if "error" in given:
        ports.graph.set_status(document.id, document.version, "failed", given["error"])
        return Outcome()
    if given["first"]:
        ports.graph.set_status(document.id, document.version, "extracted")
    chunks = [
        ChunkFacts(chunk=chunk, facts=get_facts(ports.blobs, reference) if reference else ())
        for chunk, reference in zip(get_chunks(ports.blobs, given["pages"]), given["facts"], strict=True)
    ]
    ports.graph.write_chunks(document, chunks)
    counts = {"chunks": len(chunks), "facts": sum(len(one.facts) for one in chunks)}
    embed = put_embeddables(ports.blobs, embeddables(document.title, chunks))
    event = Event(name="chunks.linked", data=counts)
    found = {"typed": put_typed(ports.blobs, typed_of(chunks))} if ports.job.params.get("profile") else {}
    return Outcome(result={**counts, "embed": embed, **found}, events=(event,))


def typed_of(chunks: list[ChunkFacts]) -> Typed:
    """Return what a profile found in some chunks."""
    facts = [fact for one in chunks for fact in one.facts]
    return Typed(
        entities=frozenset(element.id for fact in facts for element in fact.key_elements if element.types),
        relations=frozenset((one.source, one.type, one.target) for fact in facts for one in fact.relations),
        events=frozenset((fact.id, one.type, one.name) for fact in facts for one in fact.events),
    )


def embeddables(title: str, chunks: list[ChunkFacts]) -> list[Embeddable]:
    """Return what is to be embedded of some chunks of a document, each graph id once."""
    entries: dict[str, Embeddable] = {}
    for one in chunks:
        entries[one.chunk.id] = (one.chunk.id, "chunk", titled(title, one.chunk.text))
        for fact in one.facts:
            entries[fact.id] = (fact.id, "fact", fact.text)
            for element in fact.key_elements:
                entries[element.id] = (element.id, "element", element.name)
    return list(entries.values())
