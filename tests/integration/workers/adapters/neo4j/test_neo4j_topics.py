"""Topics in a real Neo4j: facts in topics are the live facts, whatever was changed and whoever was killed."""

import random
import signal
from collections import Counter

import pytest
from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, write
from doubles.graph_steps import proposal
from doubles.patient_schema import PATIENT
from doubles.topic_facts import build_until, themes
from fleet.crew import wait_until
from fleet.forks import call_fork

from hopline.errors import Transient
from hopline.models.topics import LEVELS, TopicEpoch
from workers.adapters.neo4j.archive import GraphArchive
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.schema import Neo4jSchema
from workers.core.graph.topics import BuiltTopic
from workers.core.ids import document_id, fact_id
from workers.topics.build import build_topics

ALL = 10**6
NAMES = ["Ada", "Bo", "Cai", "Dee", "Eli", "Fay", "Gus", "Hal"]


def facts_by_level(graph: Neo4jGraph, collection: str, epoch: str) -> list[Counter[str]]:
    """Return how often each fact is in a topic, by level."""
    counts = []
    for level in range(LEVELS):
        topics = graph.topics.topic_page(collection, epoch, level, limit=ALL)
        facts = graph.topics.central_facts(collection, epoch, [topic.id for topic in topics], ALL)
        counts.append(Counter(fact for some in facts.values() for fact in some))
    return counts


def live_facts(graph: Neo4jGraph, collection: str) -> list[str]:
    return sorted(fact.id for page in graph.topics.live_facts(collection) for fact in page)


def said(rng: random.Random, count: int) -> list[tuple[str, list[str]]]:
    pairs = [rng.sample(NAMES, 2) for _ in range(count)]
    return [(f"{name} met {other} in {rng.randrange(9)}.", [name, other]) for name, other in pairs]


def change(graph: Neo4jGraph, collection: str, rng: random.Random) -> None:
    """Ingest, delete or merge something."""
    move, uri = rng.choice(["ingest", "ingest", "delete", "merge"]), rng.choice("abcd")
    if move == "ingest":
        write(graph, collection, uri, said(rng, rng.randrange(1, 6)))
    elif move == "delete":
        graph.store.delete_document(document_id(collection, uri))
    else:
        graph.merging.merge_elements(collection, proposal(collection, *rng.sample(NAMES, 2)), "job")


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4, 50))]
)
def test_after_any_changes_each_live_fact_is_in_one_topic_of_every_level(graph, collection, seed):
    rng = random.Random(seed)
    for _build in range(2):
        for _ in range(rng.randrange(1, 7)):
            change(graph, collection, rng)
        epoch = build_topics(graph.topics, collection, job="j", anew=rng.random() < 0.3)
    live = live_facts(graph, collection)
    for counted in facts_by_level(graph, collection, epoch.id):
        assert counted == Counter(live)
    assert epoch.facts == len(live)


def built(graph: Neo4jGraph, collection: str) -> TopicEpoch:
    return build_topics(graph.topics, collection, job="j")


def nodes(graph: Neo4jGraph, epoch: str) -> int:
    where = "WHERE coalesce(n.key, n.id) STARTS WITH $epoch"
    text = f"MATCH (n:FactTopic|FactTopicPiece|FactTopicEpoch) {where} RETURN count(n) AS nodes"
    return int(graph.connection.run_text("count", text, epoch=epoch)[0]["nodes"])


def test_a_topic_knows_its_facts_documents_elements_and_parent(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE], [WARSAW])
    write(graph, collection, "b", [CURIE, BOHR])
    epoch = built(graph, collection)
    assert graph.topics.epoch(collection) == epoch
    assert (epoch.facts, epoch.documents) == (4, 2)
    assert graph.topics.live_size(collection).documents == 2
    finest = graph.topics.finest_topics(collection, epoch.id, live_facts(graph, collection))
    assert sorted(finest) == live_facts(graph, collection)
    home = finest[fact_id(collection, CURIE[0])]
    chain = graph.topics.topics(collection, epoch.id, [home])
    assert [topic.level for topic in chain] == list(range(LEVELS))
    assert [topic.parent for topic in chain] == [None, chain[0].id, chain[1].id]
    assert chain[-1].id == home
    assert chain[0].label == CURIE[0]
    assert chain[0].label_fact == fact_id(collection, CURIE[0])
    assert chain[0].documents == 2
    assert {"Marie Curie", "Warsaw"} <= set(chain[0].elements)
    assert graph.topics.topic_page(collection, epoch.id, 1, parent=chain[0].id)[0].parent == chain[0].id


def test_what_is_deleted_is_shown_no_more_though_topics_are_older(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE])
    write(graph, collection, "b", [WARSAW, CURIE])
    epoch = built(graph, collection)
    graph.store.delete_document(document_id(collection, "a"))
    shown = graph.topics.topic_page(collection, epoch.id, 0)
    assert PRIZE[0] not in {topic.label for topic in shown}
    assert "nobel prize" not in {name.lower() for topic in shown for name in topic.elements}
    central = graph.topics.central_facts(collection, epoch.id, [topic.id for topic in shown], ALL)
    assert sorted(fact for some in central.values() for fact in some) == live_facts(graph, collection)
    graph.store.delete_document(document_id(collection, "b"))
    assert {topic.label for topic in graph.topics.topic_page(collection, epoch.id, 0)} == {""}
    assert built(graph, collection).topics == (0, 0, 0)


def test_readers_see_the_epoch_before_until_the_next_is_whole(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE])
    first = built(graph, collection)
    half = graph.topics.begin_epoch(collection, "other")
    graph.topics.add_topics(half, [BuiltTopic("t1", 0, None, (), ("f1",), 1)])
    assert graph.topics.epoch(collection) == first
    second, third = built(graph, collection), built(graph, collection)
    assert graph.topics.epoch(collection) == third
    assert nodes(graph, first.id) == 0
    assert nodes(graph, second.id) > 0
    assert nodes(graph, half) == 2  # another job's, and just written to
    again = graph.topics.begin_epoch(collection, "other")
    assert nodes(graph, half) == 0
    assert nodes(graph, again) == 1
    with pytest.raises(Transient, match="was removed"):
        graph.topics.add_topics(half, [BuiltTopic("t1", 0, None, (), ("f1",), 1)])
    with pytest.raises(Transient, match="was removed"):
        graph.topics.publish_epoch(collection, second.model_copy(update={"id": half}))


def test_what_was_read_before_another_was_published_is_not_published(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE])
    older = graph.topics.begin_epoch(collection, "slow")
    newest = build_topics(graph.topics, collection, job="quick")
    with pytest.raises(Transient, match="another was published"):
        graph.topics.publish_epoch(collection, newest.model_copy(update={"id": older}))
    assert graph.topics.epoch(collection) == newest
    assert graph.topics.publish_epoch(collection, newest) == newest  # again, as after a lost reply


def test_who_writes_to_an_epoch_that_is_being_removed_leaves_nothing(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE])
    half = graph.topics.begin_epoch(collection, "stalled")
    graph.connection.run("topic_retire", id=half)  # as a second try of the job begins to
    with pytest.raises(Transient, match="was removed"):
        graph.topics.add_topics(half, [BuiltTopic("t1", 0, None, (), ("f1",), 1)])
    assert nodes(graph, half) == 1  # the epoch alone
    built(graph, collection)
    assert nodes(graph, half) == 0


def test_a_backup_leaves_topics_out(graph, neo4j, collection):
    write(graph, collection, "a", [CURIE, PRIZE])
    built(graph, collection)
    archive = GraphArchive(neo4j.url, neo4j.user, neo4j.password)
    labels = {label for row in archive.nodes() for label in row["labels"]}
    assert "KeyElement" in labels
    assert not {label for label in labels if label.startswith("FactTopic")}


def test_a_topic_of_many_facts_lies_in_pieces(graph, collection):
    for part in range(3):
        names = [f"n{nth}" for nth in range(part * 400, part * 400 + 400)]
        write(graph, collection, f"d{part}", [(f"{name} is listed.", [name]) for name in names])
    epoch = built(graph, collection)
    assert epoch.topics == (1, 1, 1)  # no fact shares an element: all are in the one that is left
    live = live_facts(graph, collection)
    for counted in facts_by_level(graph, collection, epoch.id):
        assert counted == Counter(live)
    [topic] = graph.topics.topic_page(collection, epoch.id, 2)
    assert (topic.facts, topic.documents) == (1200, 3)
    assert set(graph.topics.finest_topics(collection, epoch.id, live).values()) == {topic.id}
    some = graph.topics.central_facts(collection, epoch.id, [topic.id], 700)[topic.id]
    assert some == graph.topics.central_facts(collection, epoch.id, [topic.id], ALL)[topic.id][:700]
    assert graph.topics.topic_page(collection, built(graph, collection).id, 2) == [topic]


def test_another_collection_reads_none_and_tools_see_none(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE])
    census, epoch = graph.census(collection), built(graph, collection)
    assert graph.census(collection).model_copy(update={"seconds": census.seconds}) == census
    assert graph.topics.epoch("another") is None
    assert graph.topics.topic_page("another", epoch.id, 0) == []
    assert graph.topics.topic_page(collection, "gone", 0) == []
    [topic] = graph.topics.topic_page(collection, epoch.id, 0)
    assert graph.topics.topics("another", epoch.id, [topic.id]) == []
    assert graph.topics.central_facts("another", epoch.id, [topic.id], 9) == {}
    assert graph.topics.finest_topics("another", epoch.id, live_facts(graph, collection)) == {}
    schema = Neo4jSchema(graph.connection, bounds=PATIENT).schema()
    assert not {"Topic", "TopicPiece", "TopicEpoch"} & schema.labels


UNSEEN = ["topic_begin", "topic_put", "topic_put_homes"]
SEEN = ["topic_publish", "topic_remove"]


def shown(graph: Neo4jGraph, collection: str) -> list[object]:
    epoch = graph.topics.epoch(collection)
    return [sorted(page) for page in graph.topics.stored_topics(collection, epoch.id)]


def epochs(graph: Neo4jGraph, collection: str) -> int:
    text = "MATCH (e:FactTopicEpoch {collection: $collection}) RETURN count(e) AS epochs"
    return int(graph.connection.run_text("epochs", text, collection=collection)[0]["epochs"])


def strays(graph: Neo4jGraph) -> int:
    """Return how many topics and pieces are of no epoch."""
    text = """MATCH (n:FactTopic|FactTopicPiece)
    WHERE NOT EXISTS { MATCH (e:FactTopicEpoch) WHERE e.id = split(n.key, '/')[0] }
    RETURN count(n) AS nodes"""
    return int(graph.connection.run_text("strays", text)[0]["nodes"])


def ingest(graph: Neo4jGraph, collection: str, documents: int) -> None:
    sentences_by_uri: dict[str, list[tuple[str, list[str]]]] = {}
    for uri, text, names in themes(2, documents):
        sentences_by_uri.setdefault(uri, []).append((text, list(names)))
    for uri, sentences in sentences_by_uri.items():
        write(graph, collection, uri, sentences)


@pytest.mark.parametrize("query", [*UNSEEN, *SEEN])
def test_a_build_that_is_killed_is_done_again_and_leaves_nothing(graph, neo4j, collection, query):
    ingest(graph, collection, 4)
    build_topics(graph.topics, collection, job="first")
    before = build_topics(graph.topics, collection, job="second")
    there = shown(graph, collection)
    login = (neo4j.url, neo4j.user, neo4j.password)
    assert call_fork(build_until, *login, collection, query, seconds=120) == -signal.SIGKILL
    assert (graph.topics.epoch(collection).id == before.id) == (query in UNSEEN)
    assert shown(graph, collection) == there
    again = build_topics(graph.topics, collection, job="j")
    assert graph.topics.epoch(collection) == again
    assert shown(graph, collection) == there
    assert epochs(graph, collection) == 2
    # Those of another process's collection may be about to go with their epoch.
    wait_until(lambda: strays(graph) == 0, "no topic is without an epoch")
