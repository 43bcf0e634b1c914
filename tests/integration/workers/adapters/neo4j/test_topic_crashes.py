"""A build of topics that is killed leaves readers what they had, and the next build nothing of it."""

from __future__ import annotations

import signal

import pytest
from doubles.documents import write
from doubles.topic_facts import build_until, themes
from fleet.crew import wait_until
from fleet.forks import call_fork

from workers.adapters.neo4j.graph import Neo4jGraph
from workers.topics.build import build_topics

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
