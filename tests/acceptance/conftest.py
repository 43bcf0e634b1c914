"""Workers of all queues on a Redis of their own, an API over them, and a collection; the session's servers.

At the end, every event that a job sent must be one of the catalogue.
"""

import secrets
from collections.abc import Iterator

import pytest
from fleet.api import ServedApi, served_api
from fleet.checks import uncatalogued
from fleet.crew import Crew, PrivateRedis, make_crew
from fleet.worlds import write_bridge

from producer.service.keys import STORED
from workers.services import Services


@pytest.fixture(scope="package")
def own_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateRedis]:
    server = PrivateRedis(tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


@pytest.fixture(scope="package")
def standing_crew(own_redis, stack_env, tmp_path_factory):
    # Nobody is killed here in the middle of an item: what is held up for long is not to be done twice.
    own = {"HOPLINE_LEASE_SECONDS": "120", "HOPLINE_VERSIONS_KEPT": "5"}
    crew = make_crew(stack_env, own_redis.url, tmp_path_factory.mktemp("crew"), **own)
    crew.have(interactive="interactive", bulk="bulk", ocr="ocr")
    yield crew
    crew.stop()
    assert uncatalogued(crew.redis) == {}


@pytest.fixture
def crew(standing_crew: Crew) -> Iterator[Crew]:
    """The workers, with a model that does as it should."""
    standing_crew.model.set()
    yield standing_crew
    standing_crew.model.set()


@pytest.fixture(scope="package")
def api(standing_crew: Crew) -> Iterator[ServedApi]:
    """The API over the same servers; those who ask show a key."""
    services = Services(standing_crew.settings.model_copy(update={"api_wait": 600.0}))
    with served_api(services, loopback=False) as served:
        yield served
    services.redis.delete(STORED)
    services.close()


@pytest.fixture(scope="package")
def bridges(standing_crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A collection of two documents that only together tell where a bridge's designer was born."""
    name = f"bridges-{secrets.token_hex(4)}"
    standing_crew.model.set()
    standing_crew.ingest(write_bridge(tmp_path_factory.mktemp("bridges")), name)
    return name
