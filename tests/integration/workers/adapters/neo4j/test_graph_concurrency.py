"""Documents that share facts and key elements, written and deleted side by side in a real Neo4j."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import neo4j as driver
import pytest
from doubles.documents import Sentence, made_document, made_element, read, write
from doubles.graph_steps import at_once, proposal
from fleet.cases import cases
from fleet.crew import wait_until

from hopline.errors import DependencyAway, Transient
from workers.adapters.neo4j.connection import query_with
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.core import ids
from workers.core.errors import DocumentSuperseded
from workers.core.ids import merge_id

DOCUMENTS = 8
NAMES = [f"Name {nth}" for nth in range(20)]
# Everything of a collection, also what no reader would see.
NODES = "MATCH (n:{0}) WHERE n.collection = $collection RETURN '{0}' AS what, count(*) AS n"
LINKS = "MATCH (n:{0})-[r:{1}]->() WHERE n.collection = $collection RETURN '{1}' AS what, count(*) AS n"
COUNTS = " UNION ALL ".join(
    [NODES.format(label) for label in ("Document", "Chunk", "AtomicFact", "KeyElement")]
    + [LINKS.format("Document", link) for link in ("HAS_CHUNK", "HAS_HIDDEN_CHUNK")]
    + [LINKS.format("Chunk", link) for link in ("NEXT", "HAS_ATOMIC_FACT")]
    + [LINKS.format("AtomicFact", "HAS_KEY_ELEMENT")]
)


@pytest.fixture
def counted(raw) -> Callable[[str], Counter[str]]:
    def counted(collection: str) -> Counter[str]:
        records = raw.execute_query(COUNTS, collection=collection).records
        return Counter({record["what"]: record["n"] for record in records if record["n"]})

    return counted


def paragraphs_of(nth: int, chance: random.Random) -> list[list[Sentence]]:
    """Three paragraphs; every name occurs in every document, and half of the facts are everybody's."""
    shared = [(f"{name} is known to {NAMES[i - 1]}.", [name, NAMES[i - 1]]) for i, name in enumerate(NAMES)]
    own = [(f"{name} is in document {nth}.", [name, f"document {nth}"]) for name in NAMES]
    sentences = [*shared, *own]
    chance.shuffle(sentences)
    return [sentences[:15], sentences[15:30], sentences[30:]]


def expected(documents: Sequence[int]) -> Counter[str]:
    count = len(documents)
    return Counter(
        {
            "Document": count, "Chunk": 3 * count, "AtomicFact": 20 + 20 * count, "KeyElement": 20 + count,
            "HAS_CHUNK": 3 * count, "NEXT": 2 * count, "HAS_ATOMIC_FACT": 40 * count,
            "HAS_KEY_ELEMENT": 40 + 40 * count,
        }
    )  # fmt: skip


@pytest.mark.cases
def test_eight_documents_that_share_twenty_elements_go_in_side_by_side(graph, counted, collection):
    for nth_round in range(cases(50)):
        name, chance = f"{collection}-{nth_round}", random.Random(nth_round)
        texts = [paragraphs_of(nth, chance) for nth in range(DOCUMENTS)]
        at_once(
            [
                lambda nth=nth, name=name, texts=texts: write(graph, name, f"{nth}", *texts[nth])
                for nth in range(DOCUMENTS)
            ]
        )
        assert counted(name) == expected(range(DOCUMENTS))
        everybody = graph.nodes.fact_sources(name, [ids.fact_id(name, "Name 1 is known to Name 0.")])
        assert len(everybody) == DOCUMENTS


@pytest.mark.cases
def test_no_fact_that_a_document_holds_goes_with_the_documents_deleted_meanwhile(graph, counted, collection):
    half = DOCUMENTS // 2
    for nth_round in range(cases(20)):
        name, chance = f"{collection}-{nth_round}", random.Random(nth_round)
        texts = [paragraphs_of(nth, chance) for nth in range(DOCUMENTS)]
        for nth in range(half):
            write(graph, name, f"{nth}", *texts[nth])
        deletions = [
            lambda nth=nth, name=name: graph.store.delete_document(ids.document_id(name, f"{nth}"))
            for nth in range(half)
        ]
        additions = [
            lambda nth=nth, name=name, texts=texts: write(graph, name, f"{nth}", *texts[nth])
            for nth in range(half, DOCUMENTS)
        ]
        at_once([task for pair in zip(deletions, additions, strict=True) for task in pair])
        assert counted(name) == expected(range(half, DOCUMENTS))
        node = graph.nodes.read_node(name, made_element(name, "Name 7").id, max_facts=100, max_neighbours=100)
        assert len(node.facts) == 2 + half


def test_a_fact_taken_away_by_one_document_is_there_again_for_the_next(graph, counted, collection):
    paragraphs = [[(f"{name} is known.", [name, "common"]) for name in NAMES[:5]]]
    facts = [ids.fact_id(collection, f"{name} is known.") for name in NAMES[:5]]

    def come_and_go(uri: str) -> None:
        for _ in range(10):
            write(graph, collection, uri, *paragraphs, title=f"Title {uri}")
            held = [
                place.fact_id for place in graph.nodes.fact_sources(collection, facts) if place.uri == uri
            ]
            assert sorted(held) == sorted(facts)
            assert {place.uri for place in read(graph, collection, f"Title {uri}").facts} == {uri}
            graph.store.delete_document(ids.document_id(collection, uri))

    at_once([lambda uri=uri: come_and_go(uri) for uri in "abcd"])
    assert counted(collection) == Counter()


def test_of_two_versions_written_side_by_side_the_newer_one_is_live(graph, counted, collection):
    older = made_document(collection, "a", [("An older thing is here.", ["thing"])])
    newer = made_document(collection, "a", [("A newer thing is here.", ["thing"])])

    def ingest(document, chunks) -> int:
        opened = graph.store.open_version(document)
        try:
            graph.store.write_chunks(opened, chunks)
            graph.store.make_live(opened)
        except DocumentSuperseded:
            return 0
        return opened.version

    lived = at_once([lambda pair=pair: ingest(*pair) for pair in (older, newer)])
    stored = graph.store.document(older[0].id)
    assert (stored.status, stored.version) == ("indexed", max(lived))
    assert counted(collection) == Counter(
        {"Document": 1, "Chunk": 1, "AtomicFact": 1, "KeyElement": 1}
        | {"HAS_CHUNK": 1, "HAS_ATOMIC_FACT": 1, "HAS_KEY_ELEMENT": 1}
    )


@pytest.fixture
def locked(raw, graph, collection) -> Iterator[str]:
    """A document that another transaction changes."""
    write(graph, collection, "a", [("Something is here.", ["something"])])
    document = made_document(collection, "a")[0].id
    with raw.session() as session, session.begin_transaction() as holder:
        holder.run("MATCH (d:Document {id: $id}) REMOVE d.write_lock", id=document).consume()
        yield document


@pytest.fixture
def impatient(neo4j) -> Iterator[Neo4jGraph]:
    graph = Neo4jGraph(neo4j.url, neo4j.user, neo4j.password, timeout=3.0)
    yield graph
    graph.close()


def test_removing_a_property_that_is_not_there_takes_the_write_lock(locked, impatient):
    """Writers rely on it to lock what they do not change."""
    with pytest.raises(Exception, match="set_status"):
        impatient.store.set_status(locked, 1, "failed")


def test_who_reads_a_whole_text_waits_for_who_changes_it(locked, impatient):
    """Else they see the half of it that is committed by then."""
    with pytest.raises(Transient, match=r"chunks_standing.*terminated"):
        impatient.store.chunks_standing(locked)
    with pytest.raises(Transient, match=r"passage.*terminated"):
        impatient.views.passage(locked, 0, 10)


def test_of_a_document_that_is_deleted_while_its_text_is_waited_for_there_is_none(raw, graph, collection):
    write(graph, collection, "a", [("Something is here.", ["something"])])
    document = made_document(collection, "a")[0].id
    with ThreadPoolExecutor(1) as pool, raw.session() as session, session.begin_transaction() as holder:
        holder.run("MATCH (d:Document {id: $id}) DETACH DELETE d", id=document).consume()
        future = pool.submit(graph.views.passage, document, 0, 10)
        wait_until(lambda: is_blocked(raw, "AS document, length, pieces"), "the reader waits")
        holder.commit()
        assert future.result(60) is None


@pytest.mark.parametrize(("merged", "back"), [
    (("b", "c"), ["Here is a."]), (("d", "a"), ["Here is a.", "Here is d."]),
], ids=["the target", "another into it"])  # fmt: skip
def test_an_undoing_that_waited_for_a_merge_undoes_what_stands_then(raw, graph, collection, merged, back):
    """Between its look and its locks its redirect moved, or another came to lead over its element."""
    write(graph, collection, "doc", *([(f"Here is {name}.", [name])] for name in "abcd"))
    a, b = proposal(collection, "a", "b"), proposal(collection, *merged)
    assert graph.merging.merge_elements(collection, a, "j1")
    merge = {"collection": collection, "id": merge_id(collection, b.source, b.target), "job": "j1"}
    statement = query_with("merge_elements", given := {**merge, **b.model_dump(), "typed": False})
    with ThreadPoolExecutor(1) as pool, raw.session() as session, session.begin_transaction() as holder:
        assert holder.run(statement, given=given).values()
        undo = pool.submit(graph.merging.undo_merge, collection, merge_id(collection, a.source, a.target))
        wait_until(lambda: is_blocked(raw, "AS parted"), "the undoing waits")
        holder.commit()
        undone = undo.result(60)
    assert [element.name for element in undone.restored] == ["a"]
    assert graph.merging.redirects(collection, [a.source, a.target, b.source]) == {b.source: b.target}
    facts = "MATCH (f:AtomicFact)-[:HAS_KEY_ELEMENT]->(k:KeyElement {id: $id}) RETURN f.text ORDER BY f.text"
    assert [row.value() for row in raw.execute_query(facts, id=a.source).records] == back


def is_blocked(raw: driver.Driver, part: str) -> bool:
    """Return whether a statement with a part like this waits for a lock."""
    blocked = "SHOW TRANSACTIONS YIELD currentQuery, status WHERE status STARTS WITH 'Blocked'"
    return any(part in row["currentQuery"] for row in raw.execute_query(blocked).records)


@pytest.mark.parametrize("url", ["bolt://127.0.0.1:9", None], ids=["not there", "a refused login"])
def test_a_server_that_cannot_be_asked_is_a_dependency_away(neo4j, url):
    # Nobody else has this login: those that are refused too often are held up.
    stranger = Neo4jGraph(url or neo4j.url, "stranger", "wrong-password")
    with closing(stranger), pytest.raises(DependencyAway):
        stranger.store.document("d")
