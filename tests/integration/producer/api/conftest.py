"""The API over the session's servers, with a Redis database and a blob store of each module's own."""

from collections.abc import Iterator

import pytest
from doubles.broker import Broker
from doubles.documents import write
from fleet.api import ServedApi, served_api
from fleet.crew import settings_of

from workers.services import Services


@pytest.fixture(scope="module")
def services(request, stack_env, empty_redis, tmp_path_factory):
    """The servers, with a module's SETTINGS, and a document in the collection that it names LIVE."""
    own = {"redis_url": empty_redis, "blob_url": str(tmp_path_factory.mktemp("blobs"))}
    made = Services(settings_of(stack_env, **own, **getattr(request.module, "SETTINGS", {})))
    made.graph.migrate()
    if live := getattr(request.module, "LIVE", ""):
        write(made.graph, live, "live.txt", [("A bridge stands.", ["bridge"])])
    yield made
    made.close()


@pytest.fixture(scope="module")
def api(services: Services) -> Iterator[ServedApi]:
    """An API that no worker works for; those who ask show a key."""
    with served_api(services, Broker(), loopback=False) as served:
        yield served
