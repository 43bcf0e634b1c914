"""A worker is killed while it builds topics, as a job or for a survey: they are built all the same."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from fleet.checks import assert_nothing_left
from fleet.crew import PATIENCE, Crew, private_crew, wait_until
from neo4j import GraphDatabase
from themes import QUESTION, reviews

from hopline.models.topics import LEVELS

DOCUMENTS = 200


def count(crew: Crew, query: str, collection: str) -> int:
    connection = crew.services.graph.connection
    return int(connection.run_text("counted", query, collection=collection)[0]["n"])


def unpublished(crew: Crew, collection: str) -> int:
    query = """MATCH (e:FactTopicEpoch {collection: $collection})
    WHERE e.number IS NULL AND e.id <> 'held' RETURN count(e) AS n"""
    return count(crew, query, collection)


@contextmanager
def nothing_published(crew: Crew, collection: str) -> Iterator[None]:
    """Let no epoch be published meanwhile: that locks all epochs of a collection, and one is locked here."""
    settings = crew.settings
    login = (settings.neo4j_user, settings.neo4j_password.get_secret_value())
    match_clause = "MATCH (e:FactTopicEpoch {id: 'held'})"
    with GraphDatabase.driver(settings.neo4j_url, auth=login) as driver:
        driver.execute_query("CREATE (:FactTopicEpoch {id: 'held', collection: $name})", name=collection)
        try:
            with driver.session() as session, session.begin_transaction() as transaction:
                transaction.run(f"{match_clause} SET e.write_lock = true").consume()
                yield
                transaction.rollback()
        finally:
            driver.execute_query(f"{match_clause} DELETE e")


def strays(crew: Crew, collection: str) -> int:
    """Return how many topics and pieces are of no epoch."""
    query = """MATCH (n:FactTopic|FactTopicPiece)
    WHERE NOT EXISTS { MATCH (e:FactTopicEpoch) WHERE e.id = split(n.key, '/')[0] } AND $collection <> ''
    RETURN count(n) AS n"""
    return count(crew, query, collection)


def assert_whole(crew: Crew, collection: str) -> None:
    """Check that each live fact is in one topic of every level, and that no other epoch was left behind."""
    store = crew.services.graph.topics
    epoch = store.epoch(collection)
    assert epoch is not None
    live = sorted(fact.id for page in store.live_facts(collection) for fact in page)
    topics = [topic for page in store.stored_topics(collection, epoch.id) for topic in page]
    for level in range(LEVELS):
        assert sorted(fact for topic in topics if topic.level == level for fact in topic.facts) == live
    assert unpublished(crew, collection) == 0
    assert strays(crew, collection) == 0


@pytest.fixture(scope="module")
def crew(own_stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crew]:
    """Workers over a graph where nobody else builds topics."""
    with private_crew(own_stack_env, tmp_path_factory.mktemp("topics")) as crew:
        yield crew


@pytest.fixture(scope="module")
def collection(crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> str:
    crew.model.set()
    crew.have(a="interactive", bulk="bulk")
    crew.ingest(reviews(DOCUMENTS, seed=9).write(tmp_path_factory.mktemp("reviews")), "chaos-topics")
    return "chaos-topics"


def test_a_kill_while_a_survey_builds_topics_leaves_an_answer(crew: Crew, collection: str) -> None:
    crew.have(a="interactive")
    assert crew.services.graph.topics.epoch(collection) is None
    with nothing_published(crew, collection):
        job_id = crew.client.queries.submit(QUESTION, collection=collection, strategy="survey").id
        wait_until(lambda: unpublished(crew, collection), "topics to be written")
        crew.kill("a")
        assert unpublished(crew, collection) == 1
    crew.start("a")
    answer = crew.answer(job_id)
    assert answer.status == "done", repr(answer.reason)
    assert answer.citations
    assert crew.client.jobs.get(job_id).leases_lost >= 1
    assert_whole(crew, collection)
    assert_nothing_left(crew)


def test_a_kill_while_a_job_builds_topics_leaves_them_whole(crew: Crew, collection: str) -> None:
    crew.have(bulk="bulk")
    with nothing_published(crew, collection):
        job_id = crew.client.topics.build(collection, anew=True).id
        wait_until(lambda: unpublished(crew, collection), "topics to be written")
        crew.kill("bulk")
        assert unpublished(crew, collection) == 1
    crew.start("bulk", "bulk")
    job = crew.client.jobs.wait(job_id, timeout=PATIENCE)
    epoch = job.outcome.epoch
    assert epoch == crew.services.graph.topics.epoch(collection)
    assert job.leases_lost >= 1
    assert_whole(crew, collection)
    assert_nothing_left(crew)
