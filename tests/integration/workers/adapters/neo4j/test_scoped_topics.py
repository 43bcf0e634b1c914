"""Topics within a scope are those of a collection that holds nothing else."""

from doubles.documents import write
from doubles.topic_facts import themes

from hopline.models.topics import LEVELS
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.scoped.graph import ScopedGraph
from workers.core.graph.topics import TopicReads
from workers.core.ids import document_id
from workers.core.scope import Scope
from workers.topics.build import build_topics


def ingest(graph: Neo4jGraph, collection: str, documents: dict[str, list[tuple[str, list[str]]]]) -> None:
    for uri, sentences in documents.items():
        write(graph, collection, uri, sentences)


def documents(seed: int) -> dict[str, list[tuple[str, list[str]]]]:
    sentences_by_uri: dict[str, list[tuple[str, list[str]]]] = {}
    for uri, text, names in themes(2, 8, seed):
        sentences_by_uri.setdefault(uri, []).append((text, [name.capitalize() for name in names]))
    return sentences_by_uri


def shown(topics: TopicReads, collection: str) -> list[tuple[object, ...]]:
    """Return what of topics does not depend on the collection's name."""
    epoch = topics.epoch(collection)
    return sorted(
        (topic.level, topic.label, topic.elements, topic.facts, topic.documents)
        for level in range(LEVELS)
        for topic in topics.topic_page(collection, epoch.id, level)
    )


def test_what_is_outside_a_scope_changes_none_of_its_topics(neo4j_graph, collection, keeper):
    inside, outside, alone = documents(1), documents(2), f"{collection}-alone"
    ingest(neo4j_graph, collection, inside)
    ingest(neo4j_graph, collection, {f"secret {uri}": sentences for uri, sentences in outside.items()})
    build_topics(neo4j_graph.topics, collection, job="j")
    scope = Scope(documents=tuple(document_id(collection, uri) for uri in inside))
    scoped = ScopedGraph(lambda: keeper.view(collection, scope)).topics
    ingest(neo4j_graph, alone, inside)
    build_topics(neo4j_graph.topics, alone, job="j")
    assert shown(scoped, collection) == shown(neo4j_graph.topics, alone)
    assert scoped.live_size(collection) == neo4j_graph.topics.live_size(alone)
    assert scoped.live_size(collection) != neo4j_graph.topics.live_size(collection)
    assert shown(scoped, collection) != shown(neo4j_graph.topics, collection)


def test_topics_within_a_scope_are_read_as_stored_ones_are(neo4j_graph, collection, keeper):
    ingest(neo4j_graph, collection, documents(1))
    scoped = ScopedGraph(lambda: keeper.view(collection, Scope())).topics
    epoch = scoped.epoch(collection)
    finest = scoped.topic_page(collection, epoch.id, LEVELS - 1)
    chain = scoped.topics(collection, epoch.id, [finest[0].id])
    assert [topic.level for topic in chain] == list(range(LEVELS))
    assert scoped.topic_page(collection, epoch.id, 1, parent=chain[0].id)[0].parent == chain[0].id
    central = scoped.central_facts(collection, epoch.id, [chain[0].id], 3)[chain[0].id]
    assert len(central) == 3
    assert central[0] == chain[0].label_fact
    facts = scoped.central_facts(collection, epoch.id, [topic.id for topic in finest], 1000)
    homes = {fact: name for name, some in facts.items() for fact in some}
    assert scoped.finest_topics(collection, epoch.id, [*homes, "f-unknown"]) == homes
    assert len(homes) == epoch.facts
    assert scoped.topic_page(collection, "gone", 0) == scoped.topics(collection, "gone", [finest[0].id]) == []


def test_the_topics_of_a_view_are_found_once(neo4j_graph, collection, keeper):
    ingest(neo4j_graph, collection, documents(1))
    first = ScopedGraph(lambda: keeper.view(collection, Scope())).topics.epoch(collection)
    assert ScopedGraph(lambda: keeper.view(collection, Scope())).topics.epoch(collection) is first
    write(neo4j_graph, collection, "more", [("thing 0.1 meets rain.", ["thing 0.1", "rain"])])
    after = ScopedGraph(lambda: keeper.view(collection, Scope())).topics.epoch(collection)
    assert after.facts == first.facts + 1
    nothing = Scope(documents=("d-unknown",))
    epoch = ScopedGraph(lambda: keeper.view(collection, nothing)).topics.epoch(collection)
    assert (epoch.facts, epoch.topics) == (0, (0, 0, 0))


def test_of_a_fact_that_many_titles_name_both_look_at_the_same_elements(neo4j_graph, collection, keeper):
    for nth in range(60):
        own = (f"alpha{nth:02} meets beta{nth % 5}.", [f"alpha{nth:02}", f"beta{nth % 5}"])
        sentences = [("A shared sentence is here.", ["shared"]), own]
        write(neo4j_graph, collection, f"d{nth:02}", sentences, title=f"title {nth:02}")
    build_topics(neo4j_graph.topics, collection, job="j")
    scoped = ScopedGraph(lambda: keeper.view(collection, Scope())).topics
    assert shown(scoped, collection) == shown(neo4j_graph.topics, collection)
