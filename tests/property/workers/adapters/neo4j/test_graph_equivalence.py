"""Whatever documents are opened, written, shown and deleted, Neo4j shows what the double shows."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, all_texts, facts_at, made_document
from doubles.graph import MemoryGraph
from fleet.cases import cases
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workers.adapters.neo4j.graph import Neo4jGraph
from workers.core import ids
from workers.core.errors import DocumentSuperseded
from workers.core.ports import Graph
from workers.core.records import Document

URIS = ("a", "b", "c")
TEXTS = ([[CURIE], [WARSAW]], [[WARSAW]], [[BOHR, PRIZE], [WARSAW]], [[CURIE, PRIZE]])
# Of each text: a fact of several documents has several, one has none, and one is named by a text too.
TITLES = ("Alpha", "Vistula", None, "Beta")
ACTIONS = ("open", "write", "show", "fail", "spoil", "delete")

Move = tuple[str, str, int]  # action, uri, which text


class Player:
    """Plays moves on a graph; a writer remembers the version that was opened for it."""

    def __init__(self, graph: Graph, collection: str) -> None:
        self.graph, self.collection = graph, collection
        self.opened: dict[tuple[str, int], Document] = {}

    def play(self, action: str, uri: str, text: int) -> object:
        document, chunks = made_document(self.collection, uri, *TEXTS[text], title=TITLES[text])
        held = self.opened.get((uri, text))
        if action == "open":
            self.opened[uri, text] = self.graph.store.open_version(document)
            return self.opened[uri, text]
        if action == "delete":
            return _sorted(self.graph.store.delete_document(document.id))
        if held is None:
            return None
        plays: dict[str, Callable[[], object]] = {
            "write": lambda: self.graph.store.write_chunks(held, chunks),
            "show": lambda: _sorted(self.graph.store.make_live(held)),
            "fail": lambda: self.graph.store.set_status(held.id, held.version, "failed", "it failed"),
            "spoil": lambda: self.graph.store.set_status(held.id, held.version, "partial", "half of it"),
        }
        try:
            return plays[action]()
        except DocumentSuperseded:
            return "superseded"

    def seen(self) -> object:
        facts = [ids.fact_id(self.collection, sentence[0]) for sentence in (CURIE, WARSAW, BOHR, PRIZE)]
        return (
            self.graph.store.documents(self.collection),
            all_texts(self.graph, self.collection),
            self.graph.nodes.fact_sources(self.collection, facts),
            {name: facts_at(self.graph, self.collection, name) for name in (*TITLES, "Warsaw") if name},
        )


def _sorted(removed) -> dict[str, list[str]]:
    return {kind: sorted(names) for kind, names in removed.model_dump().items()}


@settings(
    max_examples=cases(20),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(
    moves=st.lists(
        st.tuples(st.sampled_from(ACTIONS), st.sampled_from(URIS), st.integers(0, len(TEXTS) - 1)),
        min_size=3,
        max_size=14,
    ),
    ingested=st.lists(st.tuples(st.sampled_from(URIS), st.integers(0, len(TEXTS) - 1)), max_size=3),
)
def test_neo4j_shows_what_the_double_shows(
    neo4j_graph: Neo4jGraph, moves: list[Move], ingested: list[tuple[str, int]]
):
    collection = f"equal-{secrets.token_hex(6)}"
    players = [Player(MemoryGraph(), collection), Player(neo4j_graph, collection)]
    before = [(action, *which) for which in ingested for action in ("open", "write", "show")]
    for move in [*before, *moves]:
        expected, got = (player.play(*move) for player in players)
        assert got == expected, move
    expected, got = (player.seen() for player in players)
    assert got == expected
