"""A submitted job on a Redis database of its own, for the ledger's tests; a graph in a real Neo4j."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
import redis
from doubles.ledger_play import Play, own_redis
from doubles.memory_redis import memory_redis

from workers.adapters.neo4j.graph import Neo4jGraph
from workers.app import CeleryPublisher, application_for
from workers.settings import Settings

_DATABASES = itertools.cycle(range(10, 16))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what is marked `memory_too`, and does not name `redis_url`, over a Redis in memory as well."""
    marked = metafunc.definition.get_closest_marker("memory_too")
    if marked and "client" in metafunc.fixturenames and "redis_url" not in metafunc.fixturenames:
        metafunc.parametrize(
            "client", [pytest.param("redis", marks=pytest.mark.server), "memory"], indirect=True
        )


@pytest.fixture
def client(request: pytest.FixtureRequest) -> redis.Redis:
    """An empty database of the session's Redis, or a Redis in memory where the test is to run over both."""
    if getattr(request, "param", "redis") == "memory":
        return memory_redis()
    client = own_redis(request.getfixturevalue("redis_url"))
    client.flushdb()  # a watchdog would work on jobs that tests before left
    return client


@pytest.fixture
def publisher(client: redis.Redis) -> CeleryPublisher:
    """Who sends to queues in a database of its own."""
    where = client.connection_pool.connection_kwargs
    url = f"redis://:{where['password']}@{where['host']}:{where['port']}/{where['db']}"
    return CeleryPublisher(application_for(Settings(broker_url=url)))


@pytest.fixture
def play(client: redis.Redis) -> Play:
    made = Play(client)
    made.submit()
    return made


@pytest.fixture(scope="module")
def graph(neo4j_graph: Neo4jGraph) -> Neo4jGraph:
    return neo4j_graph


@pytest.fixture(scope="module")
def empty_redis(redis_url: str) -> Iterator[str]:
    """The address of a Redis database that holds nothing: API keys are everybody's in theirs."""
    url = redis_url.removesuffix("/0") + f"/{next(_DATABASES)}"
    client = redis.Redis.from_url(url)
    client.flushdb()
    yield url
    client.flushdb()
    client.close()
