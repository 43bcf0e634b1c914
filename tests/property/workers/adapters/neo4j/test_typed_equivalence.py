"""Whatever typed documents come, change and go, merged or not: Neo4j shows what the double shows."""

import secrets
from collections.abc import Iterator
from typing import Any

import neo4j as driver
import pytest
from doubles.documents import all_texts, facts_at, made_element
from doubles.graph import MemoryGraph
from doubles.timeless import timeless
from doubles.typed import BOTH, FIGHT, GUILD, OATH, STATED, VENN, Stated, typed_document, view_of
from fleet.cases import cases
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hopline.models.documents import Document
from hopline.models.merges import Proposal
from workers.adapters.neo4j.aliases.settlement import AliasSettlement
from workers.core import ids
from workers.core.errors import DocumentSuperseded
from workers.core.ports import Graph, Removed

URIS = ("a", "b")
NAMES = ("Mara", "Mara Venn", "Corvin")
TEXTS = ([[OATH, FIGHT]], [[BOTH], [OATH, VENN]], [[VENN, GUILD], [OATH]], [[FIGHT], [BOTH, GUILD]])
# Of each text: a fact of several documents has several, one has none, and one is named by a text too.
TITLES = ("Alpha", "Corvin", None, "Beta")
# What a profile finds may differ from one time to the next, and without one nothing is found.
FOUND: tuple[dict[str, Stated], ...] = (
    STATED,
    {},
    STATED | {OATH[0]: Stated(types={"Corvin": ("Witness",)}, relations=(("Corvin", "SWORE_IN", "Mara"),))},
)
Move = tuple[str, int, int, int]  # action, and which of what it is about


@pytest.fixture(scope="module")
def raw(neo4j) -> Iterator[driver.Driver]:
    with driver.GraphDatabase.driver(neo4j.url, auth=(neo4j.user, neo4j.password)) as raw:
        yield raw


class Player:
    """Plays moves on a graph; a writer remembers the version that was opened for it."""

    def __init__(self, graph: Graph, collection: str) -> None:
        self.graph, self.collection = graph, collection
        self.opened: dict[tuple[int, int], Document] = {}

    def play(self, action: str, first: int, second: int, finding: int) -> object:
        if action in {"merge", "undo"}:
            return getattr(self, action)(NAMES[first % 3], NAMES[(first + 1 + second % 2) % 3])
        at, store = (first % len(URIS), second % len(TEXTS)), self.graph.store
        found = {"stated": FOUND[finding], "chapter": 1 + finding, "title": TITLES[at[1]]}
        document, chunks = typed_document(self.collection, URIS[at[0]], *TEXTS[at[1]], **found)
        if action == "delete":
            return _sorted(store.delete_document(document.id))
        try:
            if action in {"ingest", "open"}:
                self.opened[at] = store.open_version(document)
            if (held := self.opened.get(at)) is None:
                return None
            if action in {"ingest", "write"}:
                store.write_chunks(held, chunks)
            if action in {"ingest", "show"}:
                return _sorted(store.make_live(held))
            if action in {"failed", "partial"}:
                store.set_status(held.id, held.version, action, "half of it")
        except DocumentSuperseded:
            return "superseded"
        return held

    def merge(self, source: str, target: str) -> bool:
        element, other = (made_element(self.collection, name) for name in (source, target))
        fields: dict[str, Any] = {"source": element.id, "source_name": element.name, "target": other.id}
        fields |= {"target_name": other.name, "rule": "surname", "evidence": "none"}
        return self.graph.merging.merge_elements(self.collection, Proposal(**fields), "j1")

    def undo(self, source: str, target: str) -> bool:
        pair = (made_element(self.collection, name).id for name in (source, target))
        return bool(self.graph.merging.undo_merge(self.collection, ids.merge_id(self.collection, *pair)))

    def seen(self, raw: driver.Driver) -> object:
        facts = [ids.fact_id(self.collection, sentence[0]) for sentence in (OATH, FIGHT, BOTH, VENN, GUILD)]
        return (
            view_of(self.graph, self.collection, raw),
            self.graph.store.documents(self.collection),
            all_texts(self.graph, self.collection),
            self.graph.nodes.fact_sources(self.collection, facts),
            {name: facts_at(self.graph, self.collection, name) for name in (*TITLES, *NAMES) if name},
        )


def _sorted(removed: Removed) -> dict[str, list[str]]:
    return {kind: sorted(names) for kind, names in removed.model_dump().items()}


@pytest.fixture(autouse=True, scope="module")
def names_are_not_settled() -> Iterator[None]:
    """Let short forms be: only Neo4j's adapter settles what names mean, which other tests show."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(AliasSettlement, "settle", lambda *_: {})
        yield


ACTIONS = (
    *("ingest", "ingest", "ingest", "open", "write", "show"),
    *("failed", "partial", "delete", "merge", "merge", "undo"),
)


@settings(
    max_examples=cases(25),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(
    moves=st.lists(
        st.tuples(
            st.sampled_from(ACTIONS), st.integers(0, 5), st.integers(0, 3), st.integers(0, len(FOUND) - 1)
        ),
        min_size=3,
        max_size=14,
    )
)
def test_neo4j_holds_what_live_facts_state(neo4j_graph, raw, moves):
    collection = f"typed-{secrets.token_hex(6)}"
    players = [Player(MemoryGraph(), collection), Player(neo4j_graph, collection)]
    for nth, move in enumerate([("ingest", 0, 1, 0), ("ingest", 1, 2, 0), *moves]):
        expected, got = (player.play(*move) for player in players)
        assert timeless(got) == timeless(expected), (nth, move)
        expected, got = (player.seen(raw) for player in players)
        assert timeless(got) == timeless(expected), (nth, move)
