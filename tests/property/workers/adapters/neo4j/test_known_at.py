"""What was live at a time is read as if the collection had held exactly that, and nothing else ever.

Most cases are long tests; HOPLINE_TEST_KNOWN_AT=500 tries as many.
"""

import os
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import pytest
from doubles.kept import KeptLibrary, passed
from doubles.keys import KEY
from doubles.scope_cases import (
    PRINCIPALS,
    Case,
    Searched,
    Store,
    WordModel,
    Written,
    forget,
    ingest,
    made_written,
    nodes_and_paths,
    set_metadata,
    topics,
)
from doubles.timeless import timeless

from workers.adapters.neo4j.scoped.graph import ScopedGraph
from workers.adapters.neo4j.scoped.keeper import ScopeKeeper
from workers.adapters.qdrant.joined import vectors_within
from workers.adapters.qdrant.vectors import QdrantVectors
from workers.core import ids
from workers.core.graph.kept_versions import Keeping, kept_store
from workers.core.metadata.filter import matches
from workers.core.scope import Scope, allowed_to
from workers.search.search import search

CASES = int(os.environ.get("HOPLINE_TEST_KNOWN_AT", "60"))
QUICK = 3
SEEDS = [*range(QUICK), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(QUICK, CASES))]
URIS = ("doc-0", "doc-1", "doc-2")
STEPS = 7

State = Mapping[str, Written]  # what is live, by address


@dataclass
class History:
    """What happened to a collection: its states, each with a time at which it was so."""

    states: list[tuple[datetime, State]] = field(default_factory=list)
    versions: dict[str, list[Written]] = field(default_factory=dict)  # of each document, all that were live

    def seen(self, state: State, principals: Sequence[str] | None) -> State:
        """Return what of a state some principals may see: versions of which they may see all later too."""
        if principals is None:
            return state
        allowed = allowed_to(principals)

        def visible(uri: str, written: Written) -> bool:
            later = self.versions[uri][self.versions[uri].index(written) :]
            return all(matches(allowed, version.fields) for version in later)

        return {uri: written for uri, written in state.items() if visible(uri, written)}


def happen(library: KeptLibrary, rng: random.Random) -> History:
    """Ingest, replace and delete documents of a collection that keeps what was live."""
    history, state = History(), dict[str, Written]()
    history.states.append((passed(library.store.graph), {}))
    for step in range(STEPS):
        uri = rng.choice(URIS)
        if uri in state and rng.random() < 0.25:
            del state[uri]
            library.delete(uri)
        else:
            state[uri] = written = made_next(rng, state.get(uri))
            history.versions.setdefault(uri, []).append(written)
            library.replace(
                uri, written.paragraphs, dict(written.fields), title=written.title, mark=str(step)
            )
        history.states.append((passed(library.store.graph), dict(state)))
    return history


def made_next(rng: random.Random, before: Written | None) -> Written:
    """Make a version, which often has paragraphs of the one before, and may name other elements in them."""
    made = made_written(rng)
    if before is None or rng.random() < 0.3:
        return made
    shared = [
        [(fact, names[: rng.randint(1, len(names))]) for fact, names in paragraph]
        for paragraph in rng.sample(before.paragraphs, rng.randint(1, len(before.paragraphs)))
    ]
    return replace(made, paragraphs=[*shared, *made.paragraphs])


def readings(store: Store, keeper: ScopeKeeper, case: Case) -> Iterator[Any]:
    """Yield what every method that a question uses gives."""
    [name], scope = case.collections, case.scope
    documents = [ids.document_id(name, uri) for uri in URIS]
    graph = ScopedGraph(lambda: keeper.view(name, scope))
    yield keeper.documents_in(name, scope)
    yield keeper.among(name, documents, scope)
    yield list(nodes_and_paths(graph, case))
    yield list(topics(graph, name))
    yield graph.store.documents_of(documents)
    stores = [name, kept_store(name)] if scope.known_at else [name]
    vectors = vectors_within(store.vectors, stores, lambda: graph.view)
    for question in case.facts[:3]:
        result = search(question, name, Searched(graph, vectors, store.model), limit=5)
        yield result.model_copy(update={"seconds": {}})


def made_question(rng: random.Random) -> tuple[Scope, Sequence[str] | None]:
    where = rng.choice([None, None, 'tags has "contract"', 'author = "Ann"', "date >= 2020-12-31"])
    principals = rng.choice([None, *(rng.sample(PRINCIPALS, count) for count in (0, 1, 3))])
    return Scope(where=where), principals


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_live_at_a_time_is_read_as_if_it_were_all(neo4j_graph, qdrant_url, collection, seed):
    rng = random.Random(seed)
    store = Store(neo4j_graph, QdrantVectors(qdrant_url, KEY), WordModel())
    history = happen(KeptLibrary(store, collection, Keeping(versions=100)), rng)
    keeper = ScopeKeeper(neo4j_graph.connection, 10_000)
    compared = []
    for at, state in rng.sample(history.states, 4):
        scope, principals = made_question(rng)
        homes = dict.fromkeys(URIS, collection)
        every = {
            uri: written for _at, snapshot in history.states for uri, written in snapshot.items()
        } | dict(state)
        past = Case((collection,), homes, every, (), scope.model_copy(update={"known_at": at}), principals)
        seen = history.seen(state, principals)
        compared.append((past, seen, list(readings(store, keeper, past))))
    forget(store, collection)
    store.vectors.drop(kept_store(collection))

    for past, seen, known_then in compared:
        then = replace(past, asked=past.asked and past.asked.model_copy(update={"known_at": None}))
        alone = replace(then, documents=seen)
        ingest(store, alone, sorted(seen))
        set_metadata(store, alone, sorted(seen))
        held = list(readings(store, ScopeKeeper(neo4j_graph.connection, 10_000), then))
        forget(store, collection)
        assert timeless(known_then) == timeless(held)
    assert any(seen for _past, seen, _known in compared)
