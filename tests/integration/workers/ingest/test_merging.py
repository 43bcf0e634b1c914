"""The merge job's steps over real servers: merged, ingested again, undone; and side by side."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import neo4j as driver
import pytest
from doubles.blobs import MemoryBlobs
from doubles.documents import Sentence, made_document, made_element, write
from doubles.graph_steps import at_once, repeated
from doubles.keys import KEY

from hopline.models.jobs import JobState
from hopline.models.merges import Proposal
from workers.adapters.qdrant.vectors import QdrantVectors
from workers.core import ids
from workers.core.graph.vectors import Embedder
from workers.core.jobs.work import Done, End, Item, Job, as_json
from workers.core.ports import ChunkFacts, Limits, Ports
from workers.ingest.flow import IndexInput, index_document
from workers.ingest.link import LinkInput, LinkResult, link_chunks
from workers.ingest.pages import put_chunks, put_facts
from workers.ingest.resolution.flow import MERGE
from workers.ingest.vectors import store_vectors

# Everything of a collection but the records of merges, and versions that only say how often it was written.
NODES = """MATCH (n) WHERE n.collection = $collection AND NOT n:ElementMerge
RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties ORDER BY id"""
LINKS = """MATCH (a)-[r]->(b) WHERE a.collection = $collection
RETURN a.id AS a, type(r) AS type, properties(r) AS properties, b.id AS b ORDER BY a, type, b"""

PLAIN = [
    ("Thomas Telford built the Menai bridge.", ["Thomas Telford", "Menai bridge"]),
    ("Telford was a Scottish engineer.", ["Telford", "engineer"]),
    ("T. Telford met Thomas Telford the elder.", ["T. Telford", "Thomas Telford"]),
    ("Al-Andalus lies far from the Menai bridge.", ["Al-Andalus", "Menai bridge"]),
    ("World War I came before World War II.", ["World War I", "World War II"]),
    ("The year 1912 came before 1913.", ["1912", "1913"]),
    ("Henry IV was not Henry V.", ["Henry IV", "Henry V"]),
]
LATER = [
    ("Telford also built canals.", ["Telford", "canal"]),
    ("TELFORD and Thomas Telford are one man.", ["TELFORD", "Thomas Telford"]),
    ("Al Andalus was a country.", ["Al Andalus", "country"]),
]
BORN = [("T. Telford was born in Eskdale.", ["T. Telford", "Eskdale"])]


class Letters:
    """An embedder of letters' pairs: names spelled alike are near."""

    embedder = Embedder(name="letters", dimension=64)

    def metered(self, _meter: object, _turns: object = None) -> Letters:
        return self

    def embed(self, texts: Any) -> list[list[float]]:
        return [self._vector(text.replace("-", " ")) for text in texts]

    def _vector(self, text: str) -> list[float]:
        vector = [0.001] * 64
        for pair in itertools.pairwise(text):
            vector[(ord(pair[0]) * 31 + ord(pair[1])) % 64] += 1.0
        return vector


@pytest.fixture(scope="module")
def whole(neo4j) -> Iterator[Callable[[str], tuple[Any, Any]]]:
    with driver.GraphDatabase.driver(neo4j.url, auth=(neo4j.user, neo4j.password)) as raw:

        def whole(collection: str) -> tuple[Any, Any]:
            nodes = [r.data() for r in raw.execute_query(NODES, collection=collection).records]
            links = [r.data() for r in raw.execute_query(LINKS, collection=collection).records]
            for node in nodes:
                for time in ("live_since", "created", "updated"):  # the same graph, made at another time
                    node["properties"].pop(time, None)
                for name in ("aliases", "own_aliases"):
                    if name in node["properties"]:
                        node["properties"][name] = sorted(node["properties"][name])
            return nodes, links

        yield whole


@pytest.fixture
def ports(graph, qdrant_url, collection) -> Ports:
    job = Job(id="j1", kind="merge", collection=collection, params={"dry_run": False, "undo": None})
    return Ports(
        job=job,
        graph=graph,
        vectors=QdrantVectors(qdrant_url, KEY),
        model=Letters(),
        blobs=MemoryBlobs(),
        limits=Limits(),
    )


def ingest(ports: Ports, uri: str, *paragraphs: list[Sentence]) -> None:
    """Write a document by the steps of ingestion, from extracted facts on."""
    document, chunks = made_document(ports.job.collection, uri, *paragraphs)
    opened = ports.graph.store.open_version(document)
    pages = put_chunks(ports.blobs, [chunk.chunk for chunk in chunks])
    facts = [put_facts(ports.blobs, chunk.facts) for chunk in chunks]
    part = LinkInput(document=opened, pages=tuple(pages), facts=tuple(facts), first=True)
    linked = LinkResult.read_stored(as_json(link_chunks(part, ports).result))
    version = IndexInput(document=opened, embed=(str(linked.embed),), chunks=len(chunks), error=None)
    index_document(version, ports)


def run(ports: Ports, **params: Any) -> End:
    """Do all items of a merge job, phase by phase."""
    job = ports.job.model_copy(update={"params": MERGE.params.model_validate(params).model_dump()})
    own = replace(ports, job=job)
    results: dict[int, list[Done]] = {}
    following, number = MERGE.first(job), 0
    while not isinstance(following, End):
        waiting: list[Item] = list(following.items)
        results[number] = []
        while waiting:
            item = waiting.pop()
            outcome = MERGE.steps[item.step].do(item.input, own)
            waiting += outcome.children
            results[number].append(Done(item_id=item.id, step=item.step, result=as_json(outcome.result)))
        following = MERGE.advance(number, results, job)
        number += 1
    return following


def merged_names(ports: Ports) -> dict[str, str]:
    return {
        merge.source_name: merge.target_name
        for merge in ports.graph.merging.merges(ports.job.collection)
        if not merge.undone
    }


def element(ports: Ports, name: str) -> str:
    return made_element(ports.job.collection, name).id


def has_vector(ports: Ports, name: str) -> bool:
    return bool(ports.vectors.nearest_among(ports.job.collection, [[1.0] * 64], [element(ports, name)])[0])


def test_what_names_one_thing_becomes_one_and_what_does_not_stays(ports, whole):
    ingest(ports, "a", PLAIN)
    ingest(ports, "b", LATER[2:])
    before = whole(ports.job.collection)
    dry = run(ports, dry_run=True)
    assert whole(ports.job.collection) == before
    ended = run(ports)
    assert ended.state is JobState.DONE
    spelled = {"al-andalus", "al andalus"} & set(merged_names(ports))
    assert set(merged_names(ports)) == {"telford", "t. telford", *spelled}
    assert len(spelled) == 1
    shorter = [element(ports, "Telford"), element(ports, "T. Telford")]
    target = element(ports, "Thomas Telford")
    assert ports.graph.merging.redirects(ports.job.collection, shorter) == dict.fromkeys(shorter, target)
    # Telford was found to be Thomas Telford when the document came.
    assert (ended.outcome["found"], ended.outcome["made"], ended.outcome["refused"]) == (2, 2, 0)
    assert {(source, target) for source, target, *_why in dry.outcome["proposals"]} == {
        pair for pair in merged_names(ports).items() if pair[0] != "telford"
    }
    assert not has_vector(ports, "Telford")
    assert has_vector(ports, "Thomas Telford")
    once = whole(ports.job.collection)
    assert run(ports).outcome["found"] == 0
    assert whole(ports.job.collection) == once


def test_undoing_brings_back_the_very_graph_and_the_vectors(ports, whole):
    ingest(ports, "a", PLAIN)
    ingest(ports, "b", LATER[2:])
    [stated] = ports.graph.merging.merges(ports.job.collection)
    run(ports, undo=stated.id)
    before = whole(ports.job.collection)
    run(ports)
    for merge in ports.graph.merging.merges(ports.job.collection):
        ended = run(ports, undo=merge.id)
        assert ended.outcome["restored"] == [merge.source_name]
    assert whole(ports.job.collection) == before
    assert has_vector(ports, "Telford")
    ended = run(ports)
    assert ended.outcome["made"] == 0
    assert whole(ports.job.collection) == before


def test_an_unknown_merge_is_refused(ports):
    with pytest.raises(Exception, match="hopline merges"):
        run(ports, undo="m0")


NAMES = [f"Name {nth}" for nth in range(12)]


def paragraphs_of(nth: int, chance: random.Random) -> list[list[Sentence]]:
    sentences = [
        (f"{name} is known to {NAMES[i - 1]}.", [name, NAMES[i - 1]]) for i, name in enumerate(NAMES)
    ]
    sentences += [(f"{name} is in document {nth}.", [name, f"document {nth}"]) for name in NAMES]
    chance.shuffle(sentences)
    return [sentences[:8], sentences[8:16], sentences[16:]]


@pytest.mark.long
def test_writers_deleters_mergers_and_undoers_work_side_by_side(graph, whole, collection):
    """Whatever order they came in: with all merges undone, the graph is that of the documents alone."""
    for nth_round in range(6):
        name, plain = f"{collection}-{nth_round}", f"{collection}-{nth_round}-plain"
        chance = random.Random(nth_round)
        texts = [paragraphs_of(nth, chance) for nth in range(6)]
        for nth in range(3):
            write(graph, name, f"{nth}", *texts[nth])

        def come_and_go(seed: int, name: str = name) -> None:
            own = random.Random(seed)
            for _ in range(12):
                proposals = [proposal(name, *own.sample(NAMES, 2)) for _ in range(3)]
                if own.random() < 0.3:
                    repeated(graph.merging.merge_stated, name, proposals)
                else:
                    repeated(graph.merging.merge_elements, name, proposals[0], "j1")
                if own.random() < 0.4 and (made := graph.merging.merges(name)):
                    repeated(graph.merging.undo_merge, name, own.choice(made).id)

        deletions = [
            lambda nth=nth, name=name: repeated(graph.store.delete_document, ids.document_id(name, f"{nth}"))
            for nth in range(2)
        ]
        additions = [
            lambda nth=nth, name=name, texts=texts: repeated(write, graph, name, f"{nth}", *texts[nth])
            for nth in range(3, 6)
        ]
        mergers = [lambda seed=seed: come_and_go(seed) for seed in range(3)]
        at_once([*deletions, *additions, *mergers])
        _nodes, links = whole(name)
        redirects = [link for link in links if link["type"] == "MERGED_INTO"]
        sources = {link["a"] for link in redirects}
        assert len(sources) == len(redirects)
        assert not sources & {link["b"] for link in redirects}
        assert not sources & {link["b"] for link in links if link["type"] == "HAS_KEY_ELEMENT"}
        for merge in graph.merging.merges(name, limit=1000):
            graph.merging.undo_merge(name, merge.id)
        graph.store.vectors_seen(name, [vector.id for vector in graph.store.vectors_due(name)])
        for nth in range(2, 6):
            write(graph, plain, f"{nth}", *texts[nth])
        assert counted(whole(name)) == counted(whole(plain))


def proposal(collection: str, alias: str, other: str) -> Proposal:
    source, target = made_element(collection, alias), made_element(collection, other)
    fields = {"source": source.id, "source_name": source.name, "target": target.id}
    fields |= {"target_name": target.name, "rule": "spelling", "evidence": "none"}
    return Proposal.model_validate(fields)


def counted(graph: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return a graph without ids, which differ between collections, and without what tells of them."""
    nodes, links = graph
    names = {
        node["id"]: str(
            node["properties"].get("text") or node["properties"].get("name") or node["properties"]["uri"]
        )
        for node in nodes
    }
    aliases = ("aliases", "own_aliases")
    shown = sorted(
        (names[node["id"]], node["labels"], *map(node["properties"].get, aliases)) for node in nodes
    )
    joined = sorted(
        (names[link["a"]], link["type"], names[link["b"]], link["properties"].get("via")) for link in links
    )
    return shown, joined


def test_a_document_indexed_after_a_merge_stores_no_vector_of_a_redirect(ports):
    ingest(ports, "a", PLAIN)
    document, chunks = made_document(ports.job.collection, "b", LATER)
    opened = ports.graph.store.open_version(document)
    ports.graph.store.write_chunks(
        opened, [ChunkFacts(chunk=chunk.chunk, facts=chunk.facts) for chunk in chunks]
    )
    run(ports)
    ingest(ports, "b", LATER)
    assert not has_vector(ports, "Telford")
    store_vectors(
        ports, ports.job.collection, ports.graph.nodes.held(ports.job.collection, [element(ports, "Telford")])
    )
    assert not has_vector(ports, "Telford")


class MergingVectors(QdrantVectors):
    """A store that merges names when it is asked, once, which vectors are missing."""

    merge: Callable[[], object] | None = None

    def missing(self, collection: str, ids: Sequence[str]) -> set[str]:
        merge, self.merge = self.merge, None
        if merge:
            merge()
        return super().missing(collection, ids)


class MergingLetters(Letters):
    """An embedder that merges names while it embeds, once."""

    def __init__(self, merge: Callable[[], object]) -> None:
        self.merge: Callable[[], object] | None = merge

    def embed(self, texts: Any) -> list[list[float]]:
        merge, self.merge = self.merge, None
        if merge:
            merge()
        return super().embed(texts)


def test_a_merge_while_a_document_is_indexed_leaves_no_vector_of_a_redirect(ports, qdrant_url):
    ingest(ports, "a", PLAIN)
    vectors = MergingVectors(qdrant_url, KEY)
    vectors.merge = lambda: run(ports)
    ingest(replace(ports, vectors=vectors), "b", BORN)
    assert vectors.merge is None
    assert has_vector(ports, "Thomas Telford")
    assert not has_vector(ports, "T. Telford")


def test_a_merge_while_vectors_are_made_anew_leaves_none_of_a_redirect(ports):
    ingest(ports, "a", PLAIN)
    collection = ports.job.collection
    standing = ports.graph.nodes.held(
        collection, [element(ports, name) for name in ("T. Telford", "engineer")]
    )
    assert len(standing) == 2
    assert store_vectors(replace(ports, model=MergingLetters(lambda: run(ports))), collection, standing) == 2
    assert has_vector(ports, "engineer")
    assert not has_vector(ports, "T. Telford")


def test_a_merge_that_is_undone_while_a_document_is_indexed_leaves_the_vector(ports, qdrant_url, monkeypatch):
    ingest(ports, "a", PLAIN)
    vectors = MergingVectors(qdrant_url, KEY)
    vectors.merge = lambda: run(ports)
    redirects = ports.graph.merging.redirects

    def undo_what_was_seen(collection: str, ids: Sequence[str]) -> dict[str, str]:
        targets = redirects(collection, ids)
        if element(ports, "T. Telford") in targets:
            [merge] = [each for each in ports.graph.merging.merges(collection) if each.rule == "initials"]
            run(ports, undo=merge.id)
        return targets

    monkeypatch.setattr(ports.graph.merging, "redirects", undo_what_was_seen)
    ingest(replace(ports, vectors=vectors), "b", BORN)
    assert has_vector(ports, "T. Telford")
