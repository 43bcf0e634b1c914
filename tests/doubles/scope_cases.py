"""Random documents, who asks about which of them, and what every method then reads."""

import random
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import SimpleNamespace
from typing import Any, NamedTuple, get_args

from doubles.documents import made_document, made_element, write
from doubles.graph_steps import proposal
from doubles.library import ScriptedModel
from hopline.models.documents import DocumentOrder
from hopline.models.metadata import Value
from hopline.models.topics import LEVELS
from producer.service.documents import DocumentLists
from workers.adapters.neo4j.documents import _Showing
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.scoped.graph import ScopedGraph
from workers.adapters.neo4j.scoped.keeper import ScopeKeeper
from workers.adapters.qdrant.joined import vectors_within
from workers.core import ids
from workers.core.graph.vectors import Embedder, Point, Vectors
from workers.core.language.text import words
from workers.core.metadata.changes import NO_CHANGE, MetadataChange
from workers.core.metadata.filter import matches
from workers.core.scope import Scope, scope_for
from workers.search.search import search

NAMES = ("Ada Lovelace", "Ada", "London", "the Engine", "Paris", "Babbage", "1843", "王小明")
PRINCIPALS = ("user:ann", "user:bo", "group:legal", "group:staff")
VERBS = ("met", "left", "built", "saw")
TAGS = ("contract", "draft", "letter")
AUTHORS = ("Ann", "Bo", "王小明")
DAYS = (date(2019, 5, 1), date(2020, 12, 31), date(2021, 1, 1), date(2024, 2, 29))
TESTS = (
    'tags has "contract"', 'not tags has "draft"', 'author = "Ann"', 'author != "Bo"',
    'author in ("Bo", "王小明")', "date >= 2020-12-31", "date < 2021-01-01", "pages <= 3", "exists(author)",
    "not exists(tags)",
)  # fmt: skip
LIMIT = 9
ORDERS: tuple[DocumentOrder, ...] = get_args(DocumentOrder)

Paragraphs = list[list[tuple[str, list[str]]]]  # (fact, names)


@dataclass(frozen=True)
class Written:
    """A document as it is ingested."""

    paragraphs: Paragraphs
    title: str | None
    fields: Mapping[str, Value]


@dataclass(frozen=True)
class Case:
    """Documents by address and where each is, what people merged, and who asks about which of them."""

    collections: Sequence[str]  # that are read together
    homes: Mapping[str, str]  # the collection of each document
    documents: Mapping[str, Written]
    merged: Sequence[tuple[str, str]]  # pairs of names
    asked: Scope | None
    principals: Sequence[str] | None

    @property
    def collection(self) -> str:
        """The one whose ids key elements have."""
        return self.collections[0]

    @property
    def scope(self) -> Scope:
        scope = scope_for(self.asked, self.principals)
        assert scope is not None
        return scope

    @property
    def visible(self) -> list[str]:
        return [uri for uri, written in self.documents.items() if self._holds(uri, written)]

    def _holds(self, uri: str, written: Written) -> bool:
        named, meant = self.scope.documents, self.scope.filter
        if named and self.id_of(uri) not in named:
            return False
        return meant is None or matches(meant, written.fields)

    def id_of(self, uri: str) -> str:
        return ids.document_id(self.homes[uri], uri)

    @property
    def facts(self) -> list[str]:
        every = (document.paragraphs for document in self.documents.values())
        return sorted({fact for paragraphs in every for some in paragraphs for fact, _names in some})


class WordModel(ScriptedModel):
    """Embeds a text as the bag of its words; texts of the same words are equally near."""

    embedder = Embedder(name="words", dimension=16)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._vector(words(text)) for text in texts]

    def _vector(self, bag: Sequence[str]) -> list[float]:
        counts = Counter(zlib.crc32(word.encode()) % (self.embedder.dimension - 1) for word in bag)
        return [1.0, *(float(counts[at]) for at in range(self.embedder.dimension - 1))]


class Searched(NamedTuple):
    graph: Any
    vectors: Any
    model: Any


class Store(NamedTuple):
    """Where a case's documents are."""

    graph: Neo4jGraph
    vectors: Vectors
    model: ScriptedModel


def made_case(rng: random.Random, *collections: str) -> Case:
    """Make documents that share facts, names and titles; some are seen, and mostly some are not."""
    for _ in range(50):
        documents = {f"doc-{nth}": made_written(rng) for nth in range(rng.randint(2, 6))}
        names = rng.sample(NAMES, 4)
        merged = [tuple(names[:2]), tuple(names[2:])][: rng.randint(0, 2)]
        principals = rng.choice([None, *(rng.sample(PRINCIPALS, count) for count in (0, 1, 2))])
        several = len(collections) > 1  # one takes no number: its cases are as they were
        homes = {uri: rng.choice(collections) if several else collections[0] for uri in documents}
        scope = made_scope(rng, [ids.document_id(home, uri) for uri, home in homes.items()])
        if principals is None and scope is None:
            scope = Scope(where=rng.choice(TESTS))
        case = Case(collections, homes, documents, merged, scope, principals)
        if case.visible and (len(case.visible) < len(documents) or rng.random() < 0.05):
            return case
    raise AssertionError("no case has documents inside and outside")


def made_written(rng: random.Random) -> Written:
    paragraphs = [[made_fact(rng) for _ in range(rng.randint(1, 3))] for _ in range(rng.randint(1, 3))]
    fields: dict[str, Value] = {
        "tags": tuple(rng.sample(TAGS, rng.randint(1, 2))),
        "author": rng.choice(AUTHORS),
        "date": rng.choice(DAYS),
        "pages": rng.randint(1, 5),
        "allow": rng.choice([("*",), tuple(rng.sample([*PRINCIPALS, "user:dan"], rng.randint(1, 3)))]),
    }
    kept = {name: value for name, value in fields.items() if rng.random() < 0.7}
    return Written(paragraphs, rng.choice([None, *NAMES]), kept)


def made_fact(rng: random.Random) -> tuple[str, list[str]]:
    first, second = rng.sample(NAMES, 2)
    fact = f"{first} {rng.choice(VERBS)} {second}."
    # Another document may name other elements in the same fact, or word it differently.
    named = [first, second] if rng.random() < 0.8 else [first]
    return (fact if rng.random() < 0.8 else fact.upper()), named


def made_scope(rng: random.Random, documents: Sequence[str]) -> Scope | None:
    """Make what is asked about: by metadata, by date, by ids, by all of them, or everything."""
    parts: dict[str, Any] = {}
    if rng.random() < 0.6:
        some = [f"({test})" for test in rng.sample(TESTS, rng.randint(1, 3))]
        parts["where"] = rng.choice([" and ", " or "]).join(some)
    if rng.random() < 0.3:
        parts["as_of"] = rng.choice(DAYS)
    if rng.random() < 0.4:
        parts["documents"] = tuple(rng.sample(documents, rng.randint(1, len(documents))))
    return Scope(**parts) if parts else None


def ingest(store: Store, case: Case, uris: Sequence[str], *, together: bool = False) -> None:
    """Write documents, one after another or those of a collection at once; embed them, merge names."""
    homes = sorted({case.homes[uri] for uri in uris})
    if together:
        for collection in homes:
            write_together(store.graph, case, [uri for uri in uris if case.homes[uri] == collection])
    else:
        for uri in uris:
            written = case.documents[uri]
            write(store.graph, case.homes[uri], uri, *written.paragraphs, title=written.title)
    for collection in homes:
        embed(store, collection)
    for nth, names in enumerate(case.merged):
        collection = case.collections[nth % len(case.collections)]
        store.graph.merging.merge_elements(collection, proposal(collection, *names), "job")


def write_together(graph: Neo4jGraph, case: Case, uris: Sequence[str]) -> None:
    """Write documents in one transaction for each step, as many workers do that meet."""
    made = [
        made_document(case.homes[uri], uri, *written.paragraphs, title=written.title)
        for uri, written in ((uri, case.documents[uri]) for uri in uris)
    ]
    opened = [
        document for document in graph.store._open_all([document for document, _chunks in made]) if document
    ]
    graph.store._write_all(
        [(document, chunks) for document, (_document, chunks) in zip(opened, made, strict=True)]
    )
    left = graph.store._show_all([_Showing(document, NO_CHANGE) for document in opened])
    named = [document for document, due in zip(opened, left, strict=True) if due and due.named]
    if named:
        graph.store._settle_all(named)


def embed(store: Store, collection: str) -> None:
    points = [entry for page in store.graph.nodes.texts(collection) for entry in page]
    embedded = store.model.embed([text for _id, _kind, text in points])
    store.vectors.prepare(collection, store.model.embedder)
    store.vectors.upsert(
        collection,
        [
            Point(graph_id=name, kind=kind, vector=tuple(vector))
            for (name, kind, _text), vector in zip(points, embedded, strict=True)
        ],
    )


def begin(store: Store, case: Case, uri: str, written: Written) -> None:
    """Write a document that is not live: nobody has allowed or forbidden anything of it yet."""
    document, chunks = made_document(case.collections[-1], uri, *written.paragraphs, title=written.title)
    store.graph.store.write_chunks(store.graph.store.open_version(document), chunks)


def set_metadata(store: Store, case: Case, uris: Sequence[str]) -> None:
    for uri in uris:
        change = MetadataChange(values=dict(case.documents[uri].fields))
        store.graph.store.change_metadata([case.id_of(uri)], change)


def forget(store: Store, collection: str) -> None:
    """Remove everything of a collection, as if it had never been there."""
    run = store.graph.connection.run_text
    chunks = "OPTIONAL MATCH (n)-[:HAS_CHUNK|HAS_HIDDEN_CHUNK]->(c)"
    run("forget", f"MATCH (n {{collection: $c}}) {chunks} DETACH DELETE c, n", None, c=collection)
    store.vectors.drop(collection)


def readings(
    store: Store, keeper: ScopeKeeper, case: Case, orders: Sequence[DocumentOrder] = ORDERS
) -> Iterator[Any]:
    """Yield what every method gives, asked for visible and hidden things alike.

    Args:
        store: where the documents are.
        keeper: reads the scope.
        case: who asks, about what.
        orders: in which the documents are listed.
    """
    name, documents = case.collection, [case.id_of(uri) for uri in case.documents]
    graph = ScopedGraph(lambda: keeper.view(case.collections, case.scope))
    yield keeper.documents_in(case.collections, case.scope)
    yield keeper.among(case.collections, documents, case.scope)
    yield list(nodes_and_paths(graph, case))
    yield list(topics(graph, name))
    yield graph.store.documents_of(documents)
    yield [graph.store.document(document) for document in documents]
    yield graph.store.has_documents(name)
    yield [list(listed(store, case, collection, orders)) for collection in case.collections]
    view = graph.view
    vectors = vectors_within(store.vectors, case.collections, lambda: view)
    for question in case.facts[:3]:
        result = search(question, name, Searched(graph, vectors, store.model), limit=5)
        yield result.model_copy(update={"seconds": {}})


def nodes_and_paths(graph: ScopedGraph, case: Case) -> Iterator[Any]:
    name = case.collection
    elements = [made_element(home, element_name).id for home in case.collections for element_name in NAMES]
    facts = [ids.fact_id(home, fact) for home in case.collections for fact in case.facts]
    chunks = [
        chunk.chunk.id
        for uri, written in case.documents.items()
        for chunk in made_document(case.homes[uri], uri, *written.paragraphs, title=written.title)[1]
    ]
    for element in elements:
        yield graph.nodes.read_node(name, element, near=facts[:2], max_facts=LIMIT, max_neighbours=LIMIT)
        yield graph.paths.facts_of(name, [element], near=facts[:2], limit=LIMIT)
        yield graph.paths.neighbours_of(name, [element], near=facts, limit=LIMIT)
    yield graph.nodes.elements_named(name, NAMES)
    yield [graph.nodes.elements_like(name, element_name, LIMIT) for element_name in NAMES]
    yield graph.nodes.elements(name, elements)
    yield graph.nodes.fact_sources(name, facts)
    yield graph.nodes.chunks(name, chunks)
    yield graph.paths.facts_held(name, elements, limit=LIMIT)
    yield [graph.paths.read_chunk(name, chunk) for chunk in chunks]
    yield graph.around.size(name)
    yield graph.around.elements_found(name, elements, spellings=True)
    yield graph.around.facts_around(name, elements, LIMIT)
    yield graph.around.chunks_like(name, case.facts, LIMIT)
    yield graph.around.chunks_said(name, chunks, LIMIT)
    yield graph.merging.names_in(name, chunks)


def topics(graph: ScopedGraph, collection: str) -> Iterator[Any]:
    reads, facts = graph.topics, graph.view.contents.facts
    epoch = reads.epoch(collection)
    yield epoch.model_copy(update={"built_at": 0.0})
    for level in range(LEVELS):
        page = reads.topic_page(collection, epoch.id, level)
        yield page
        yield reads.central_facts(collection, epoch.id, [topic.id for topic in page], LIMIT)
    homes = reads.finest_topics(collection, epoch.id, facts)
    yield homes
    yield reads.topics(collection, epoch.id, sorted(set(homes.values())))


def listed(store: Store, case: Case, collection: str, orders: Sequence[DocumentOrder]) -> Iterator[Any]:
    """Yield the pages of a collection's documents as HTTP lists them, in some orders, and their counts."""
    meant = case.asked.filter if case.asked else None
    backend: Any = SimpleNamespace(services=SimpleNamespace(graph=store.graph))
    listed = DocumentLists(backend)
    if not (case.asked and case.asked.documents):
        yield listed.facets(collection, meant, case.principals)
    for sort in orders:
        cursor: str | None = ""
        while cursor is not None and not (case.asked and case.asked.documents):
            page, cursor = listed.page(
                collection,
                q="d" if sort == "uri" else "",
                sort=sort,
                cursor=cursor,
                limit=2,
                where=meant,
                principals=case.principals,
            )
            yield [document.as_live for document in page], cursor
