"""A submitted job on a Redis database of its own, for the ledger's tests; a graph in a real Neo4j."""

from collections.abc import Iterator

import pytest
import redis
from doubles.databases import address_of, own_database, own_redis
from doubles.ledger_play import Play
from doubles.memory_redis import memory_redis
from fleet.crew import PrivateRedis

from workers.adapters.neo4j.graph import Neo4jGraph
from workers.app import application_for
from workers.settings import Settings
from workers.transport.publishers import CeleryPublisher


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """With --no-servers, run over a Redis in memory what is `memory_too` and does not name `redis_url`."""
    marked = metafunc.definition.get_closest_marker("memory_too")
    if marked and "client" in metafunc.fixturenames and "redis_url" not in metafunc.fixturenames:
        serverless = metafunc.config.getoption("--no-servers")
        over = "memory" if serverless else pytest.param("redis", marks=pytest.mark.server)
        metafunc.parametrize("client", [over], indirect=True)


@pytest.fixture
def client(request: pytest.FixtureRequest) -> redis.Redis:
    """An empty database of the session's Redis, or a Redis in memory where the test is to run over both."""
    if getattr(request, "param", "redis") == "memory":
        return memory_redis()
    if "own_server" in request.fixturenames:
        return redis.Redis.from_url(request.getfixturevalue("own_server"), decode_responses=True)
    return own_redis(request.getfixturevalue("redis_url"))


@pytest.fixture
def publisher(client: redis.Redis) -> CeleryPublisher:
    """Who sends to queues in a database of its own."""
    return CeleryPublisher(application_for(Settings(broker_url=address_of(client))))


@pytest.fixture
def play(client: redis.Redis) -> Play:
    made = Play(client)
    made.submit()
    return made


@pytest.fixture(scope="module")
def own_server(redis_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:  # noqa: ARG001 - skips
    """The address of a module's own Redis: one test counts all that a server does, or lets it refuse."""
    server = PrivateRedis(tmp_path_factory.mktemp("redis"))
    yield server.url
    server.kill()


@pytest.fixture(scope="module")
def graph(neo4j_graph: Neo4jGraph) -> Neo4jGraph:
    return neo4j_graph


@pytest.fixture(scope="module")
def empty_redis(redis_url: str) -> str:
    """The address of a Redis database that holds nothing: API keys are everybody's in theirs."""
    return own_database(redis_url)
