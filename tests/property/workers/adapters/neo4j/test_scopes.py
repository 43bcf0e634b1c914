"""Within a scope every reading is as it would be if what is outside had never been ingested.

Most cases are long tests; HOPLINE_TEST_SCOPES=5000 tries as many, in half an hour or so.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from doubles.documents import made_document, made_element, write
from doubles.library import ScriptedModel
from doubles.vectors import MemoryVectors

from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.scoped.graph import ScopedGraph
from workers.adapters.neo4j.scoped.keeper import ScopeKeeper
from workers.adapters.qdrant.scoped import ScopedVectors
from workers.core import ids
from workers.core.graph.vectors import Point
from workers.core.metadata.changes import MetadataChange
from workers.core.scope import Scope, scope_for
from workers.search.search import search

CASES = int(os.environ.get("HOPLINE_TEST_SCOPES", "300"))
QUICK = 16
SEEDS = [*range(QUICK), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(QUICK, CASES))]
NAMES = ("Ada Lovelace", "Ada", "London", "the Engine", "Paris", "Babbage", "1843", "王小明")
PRINCIPALS = ("user:ann", "user:bo", "group:legal", "group:staff")
VERBS = ("met", "left", "built", "saw")


class Searched(NamedTuple):
    graph: Any
    vectors: Any
    model: Any


class Library(NamedTuple):
    """Documents by address; each is its paragraphs of (fact, names), with a title or none."""

    documents: dict[str, tuple[list[list[tuple[str, list[str]]]], str | None]]
    hidden: frozenset[str]

    @property
    def facts(self) -> list[str]:
        told = (
            fact for paragraphs, _title in self.documents.values() for one in paragraphs for fact, _n in one
        )
        return sorted(set(told))


def made_library(rng: random.Random) -> Library:
    """Make some documents that share facts, names and titles; some are hidden."""
    documents = {}
    for nth in range(rng.randint(2, 6)):
        paragraphs = [[made_fact(rng) for _ in range(rng.randint(1, 3))] for _ in range(rng.randint(1, 3))]
        documents[f"doc-{nth}"] = (paragraphs, rng.choice([None, *NAMES]))
    hidden = {uri for uri in documents if rng.random() < 0.5}
    hidden.discard("doc-0")
    return Library(documents, frozenset(hidden))


def made_fact(rng: random.Random) -> tuple[str, list[str]]:
    first, second = rng.sample(NAMES, 2)
    fact = f"{first} {rng.choice(VERBS)} {second}."
    # Another document may name other elements in the same fact, or word it differently.
    named = [first, second] if rng.random() < 0.8 else [first]
    return (fact if rng.random() < 0.8 else fact.upper()), named


def made_scope(rng: random.Random, graph: Neo4jGraph, collection: str, library: Library) -> Scope:
    """Return a scope of what is not hidden: by its ids, by whom it is allowed to, or by both."""
    named = {uri: ids.document_id(collection, uri) for uri in library.documents}
    unnamed = {uri for uri in library.hidden if rng.random() < 0.5}
    principals, others = rng.sample(PRINCIPALS, 2), [*PRINCIPALS, "user:dan"]
    others = [name for name in others if name not in principals]
    for uri, document in named.items():
        allow: tuple[str, ...] = tuple(rng.sample(others, rng.randint(1, len(others))))
        if uri not in library.hidden or uri in unnamed:
            allow = rng.choice([(), ("*",), (*allow, "*"), (*allow, rng.choice(principals))])
        values = {"allow": allow} if allow else {"author": "Ann"}
        graph.store.change_metadata([document], MetadataChange(values=values))
    listed = sorted(document for uri, document in named.items() if uri not in unnamed)
    asked = Scope(documents=tuple(listed)) if unnamed or rng.random() < 0.5 else None
    scope = scope_for(asked, principals)
    assert scope is not None
    return scope


def readings(graph: ScopedGraph, vectors: Any, collection: str, library: Library) -> Iterator[Any]:
    """Yield what every method gives, asked for visible and hidden things alike."""
    elements = [made_element(collection, name).id for name in NAMES]
    facts = [ids.fact_id(collection, fact) for fact in library.facts]
    chunks = [
        one.chunk.id
        for uri, (paragraphs, title) in library.documents.items()
        for one in made_document(collection, uri, *paragraphs, title=title)[1]
    ]
    for name in elements:
        yield graph.nodes.read_node(collection, name, near=facts[:2], max_facts=9, max_neighbours=9)
        yield graph.paths.facts_of(collection, [name], near=facts[:2], limit=9)
        yield graph.paths.neighbours_of(collection, [name], near=facts, limit=9)
    yield graph.nodes.elements_named(collection, NAMES)
    yield [graph.nodes.elements_like(collection, name, 9) for name in NAMES]
    yield graph.nodes.elements(collection, elements)
    yield graph.nodes.fact_sources(collection, facts)
    yield graph.nodes.chunks(collection, chunks)
    yield graph.paths.facts_held(collection, elements, limit=9)
    yield [graph.paths.read_chunk(collection, chunk) for chunk in chunks]
    yield graph.around.size(collection)
    yield graph.around.elements_found(collection, elements)
    yield graph.around.facts_around(collection, elements, 9)
    yield graph.around.chunks_like(collection, library.facts, 9)
    yield graph.around.chunks_said(collection, chunks, 9)
    yield graph.merging.names_in(collection, chunks)
    yield graph.store.documents_of([ids.document_id(collection, uri) for uri in library.documents])
    yield [graph.store.document(ids.document_id(collection, uri)) for uri in library.documents]
    for fact in library.facts[:3]:
        found = search(fact, collection, Searched(graph, vectors, ScriptedModel({})), limit=5)
        yield found.model_copy(update={"seconds": {}})


@pytest.mark.parametrize("seed", SEEDS)
def test_a_reading_is_the_same_where_what_is_outside_was_never_ingested(
    neo4j_graph: Neo4jGraph, collection: str, seed: int
) -> None:
    rng = random.Random(seed)
    library = made_library(rng)
    model, vectors = ScriptedModel({}), MemoryVectors()
    vectors.prepare(collection, model.embedder)
    order = sorted(library.documents)
    rng.shuffle(order)
    for uri in order:
        paragraphs, title = library.documents[uri]
        write(neo4j_graph, collection, uri, *paragraphs, title=title)
    points = [entry for page in neo4j_graph.nodes.texts(collection) for entry in page]
    embedded = model.embed([text for _id, _kind, text in points])
    vectors.upsert(
        collection,
        [
            Point(graph_id=name, kind=kind, vector=tuple(vector))
            for (name, kind, _text), vector in zip(points, embedded, strict=True)
        ],
    )
    scope = made_scope(rng, neo4j_graph, collection, library)

    def read() -> list[Any]:
        graph = ScopedGraph(lambda: ScopeKeeper(neo4j_graph.connection, 10_000).view(collection, scope))
        scoped = ScopedVectors(vectors, lambda: graph.view.chunk_ids, lambda: graph.view.element_ids)  # type: ignore[arg-type]
        return list(readings(graph, scoped, collection, library))

    with_hidden = read()
    for uri in library.hidden:
        removed = neo4j_graph.store.delete_document(ids.document_id(collection, uri))
        vectors.delete(collection, [*removed.chunks, *removed.facts, *removed.elements])
    assert with_hidden == read()
    assert any(with_hidden)
