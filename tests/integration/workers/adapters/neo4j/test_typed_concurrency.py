"""Typed documents that share characters, written, deleted and merged side by side in a real Neo4j."""

import random
import threading
from typing import Any

import pytest
from doubles.documents import made_element
from doubles.graph import MemoryGraph
from doubles.graph_steps import at_once, proposal, repeated
from doubles.typed import Stated, typed_document, view_of, write_typed

from workers.core import ids
from workers.core.ports import Graph

NAMES = [f"Name {nth}" for nth in range(8)]
KINDS = ("FRIEND_OF", "ENEMY_OF")


def story(nth: int, seed: int) -> dict[str, Any]:
    """Return what a document says, half of it what others say too, and what is stated of it."""
    chance = random.Random(f"{nth} {seed}")
    sentences, stated = [], {}
    for of in (0, nth + 1):
        for scene in range(10):
            who, whom = chance.sample(NAMES, 2) if of else (NAMES[scene % 8], NAMES[(scene * 3 + 1) % 8])
            sentence = f"{who} met {whom} in scene {of} {scene}."
            sentences.append((sentence, [who, whom]))
            event = ("encounter", f"Scene {scene}", ((who, "first", ""), (whom, "second", "")))
            stated[sentence] = Stated(
                types={who: ("Character",), whom: (chance.choice(("Character", "Sailor")),)},
                relations=((who, chance.choice(KINDS), whom),) if who != whom else (),
                events=(event,) if scene % 3 == 0 else (),
            )
    chance.shuffle(sentences)
    return {"paragraphs": [sentences[:7], sentences[7:14], sentences[14:]], "stated": stated}


def put(graph: Graph, collection: str, nth: int, seed: int) -> None:
    content = story(nth, seed)
    write_typed(graph, collection, f"{nth}", *content["paragraphs"], stated=content["stated"])


def expected(graph: Graph, collection: str, documents: dict[int, int]) -> MemoryGraph:
    """Return a double with these documents, where the graph's redirects lead where they lead there."""
    double = MemoryGraph()
    for nth, seed in documents.items():
        put(double, collection, nth, seed)
    redirects = graph.merging.redirects(collection, [made_element(collection, name).id for name in NAMES])
    double.into.update({source: ("m", target) for source, target in redirects.items()})
    double.settle()
    return double


def test_documents_that_share_characters_come_change_and_go_side_by_side(graph, raw, collection):
    for nth_round in range(4):
        name = f"{collection}-{nth_round}"
        for nth in range(4):
            put(graph, name, nth, 0)
        at_once(
            [lambda nth=nth, name=name: put(graph, name, nth, 1) for nth in (0, 1, 4, 5)]
            + [
                lambda nth=nth, name=name: graph.store.delete_document(ids.document_id(name, f"{nth}"))
                for nth in (2, 3)
            ]
        )
        double = expected(graph, name, {0: 1, 1: 1, 4: 1, 5: 1})
        assert view_of(graph, name, raw) == view_of(double, name)


@pytest.mark.long
def test_mergers_and_undoers_between_them_leave_what_live_facts_state(graph, raw, collection):
    for nth_round in range(3):
        name = f"{collection}-{nth_round}"
        for nth in range(3):
            put(graph, name, nth, 0)

        def come_and_go(seed: int, name: str = name) -> None:
            own = random.Random(seed)
            for _ in range(4):
                repeated(graph.merging.merge_elements, name, proposal(name, *own.sample(NAMES, 2)), "j1")
                if own.random() < 0.4 and (made := graph.merging.merges(name)):
                    repeated(graph.merging.undo_merge, name, own.choice(made).id)

        at_once(
            [lambda name=name: repeated(graph.store.delete_document, ids.document_id(name, "0"))]
            + [lambda nth=nth, name=name: repeated(put, graph, name, nth, 1) for nth in (1, 3, 4)]
            + [lambda seed=seed: come_and_go(seed) for seed in (nth_round, nth_round + 100)]
        )
        documents = {1: 1, 2: 0, 3: 1, 4: 1}
        assert view_of(graph, name, raw) == view_of(expected(graph, name, documents), name)
        for merge in graph.merging.merges(name, limit=1000):
            graph.merging.undo_merge(name, merge.id)
        assert view_of(graph, name, raw) == view_of(expected(graph, name, documents), name)
        assert not graph.merging.redirects(name, [made_element(name, who).id for who in NAMES])


def test_readers_see_all_that_a_version_states_or_nothing_of_it(graph, raw, collection):
    """While a document alternates between two versions, a reader finds the relations of one of them.

    Neo4j reads what is committed at each step of a statement, so one that is under way while a version
    becomes live may meet both. What stands is what two reads in a row find.
    """
    wanted = []
    for seed in (0, 1):
        double = MemoryGraph()
        put(double, collection, 0, seed)
        wanted.append(view_of(double, collection))
    put(graph, collection, 0, 0)
    done = threading.Event()
    seen = []

    def look() -> None:
        before = None
        while not done.is_set():
            relations = raw.execute_query(
                "MATCH (a:KeyElement)-[r:FRIEND_OF|ENEMY_OF]->(b) WHERE a.collection = $collection "
                "RETURN collect([a.id, type(r), b.id, r.chunk_id]) AS found",
                collection=collection,
            ).records[0]["found"]
            now = frozenset(map(tuple, relations))
            seen.extend([now] if now == before else [])
            before = now

    reader = threading.Thread(target=look)
    reader.start()
    for nth in range(1, 101):
        put(graph, collection, 0, nth % 2)
        if nth >= 10 and len(seen) > len(set(seen)):
            break  # it was looked often enough while it changed
    done.set()
    reader.join(120)
    whole = [frozenset((a, kind, b, where.chunk) for a, kind, b, where in view.relations) for view in wanted]
    assert set(seen) <= set(whole)
    assert len(seen) > len(set(seen)) > 0


def test_a_typed_document_may_be_written_and_deleted_by_many(graph, raw, collection):
    document = typed_document(collection, "0", *story(0, 0)["paragraphs"])[0]

    def come_or_go(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(6):
            try:
                if chance.random() < 0.4:
                    graph.store.delete_document(document.id)
                else:
                    put(graph, collection, 0, chance.randrange(2))
            except Exception as error:  # noqa: BLE001 - the version was superseded, whichever way that is said
                assert "newest" in str(error)  # noqa: PT017

    at_once([lambda seed=seed: come_or_go(seed) for seed in range(5)])
    put(graph, collection, 0, 1)
    assert view_of(graph, collection, raw) == view_of(expected(graph, collection, {0: 1}), collection)
    graph.store.delete_document(document.id)
    assert view_of(graph, collection, raw) == view_of(MemoryGraph(), collection)
