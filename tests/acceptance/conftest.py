"""Workers of all queues on a Redis of their own; the session's other servers.

At the end, every event that a job sent must be one of the catalogue.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fleet.crew import Crew, PrivateRedis, make_crew
from fleet.events import uncatalogued


@pytest.fixture(scope="package")
def own_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateRedis]:
    server = PrivateRedis(tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


@pytest.fixture(scope="package")
def standing_crew(
    own_redis: PrivateRedis, stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Crew]:
    # Nobody is killed here in the middle of an item: what is held up for seconds is not to be done twice.
    crew = make_crew(stack_env, own_redis.url, tmp_path_factory.mktemp("crew"), HOPLINE_LEASE_SECONDS="10")
    crew.have(interactive="interactive", bulk="bulk")
    yield crew
    crew.stop()
    assert uncatalogued(crew.redis) == {}


@pytest.fixture
def crew(standing_crew: Crew) -> Iterator[Crew]:
    """The workers, with a model that does as it should."""
    standing_crew.model.set()
    yield standing_crew
    standing_crew.model.set()
