"""A submitted job on a Redis database of its own, for the ledger's tests; a Neo4j that is not hopline's."""

from __future__ import annotations

import pytest
import redis
from doubles.foreign import MOVIES, ForeignServer, at_port, load_movies, start_foreign
from doubles.ledger_play import Play, own_redis


@pytest.fixture
def client(redis_url: str) -> redis.Redis:
    return own_redis(redis_url)


@pytest.fixture
def play(client: redis.Redis) -> Play:
    made = Play(client)
    made.submit()
    return made


@pytest.fixture(scope="session")
def movies_neo4j(servers) -> ForeignServer:
    """A Neo4j without APOC, with the Movies graph; skips where the evaluation folder is not there."""
    if not MOVIES.is_file():
        pytest.skip("no evaluation folder")
    server = at_port(servers.wait("foreign", start_foreign))
    load_movies(server)
    return server
