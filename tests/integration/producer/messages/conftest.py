"""A worker of the queue `submissions` in this process, over real servers; the jobs are done by nobody."""

from pathlib import Path

import pytest
from celery.contrib.testing.worker import start_worker
from doubles.broker import Broker
from doubles.documents import write
from fleet.crew import settings_of
from fleet.messages import COLLECTION, Post

from producer.messages.desk import open_desk
from producer.messages.worker import submissions_application
from producer.service.service import Service
from workers.adapters.redis.client import redis_client
from workers.services import Services


@pytest.fixture(scope="module")
def post(stack_env, empty_redis, tmp_path_factory):
    blobs = str(tmp_path_factory.mktemp("blobs"))
    own = {"redis_url": empty_redis, "blob_url": blobs, "api_jobs_in_flight": 3}
    services = Services(settings_of(stack_env, **own))
    services.graph.migrate()
    write(services.graph, COLLECTION, "live.txt", [("A bridge stands.", ["bridge"])])
    with open_desk(Service(services=services, publisher=Broker())) as desk:
        application = submissions_application(services.settings, desk)
        with start_worker(
            application, pool="threads", concurrency=2, perform_ping_check=False, queues=["submissions"]
        ):
            yield Post(empty_redis, services, redis_client(empty_redis))
    services.close()


@pytest.fixture
def script() -> Path:
    """A program in another language that puts a message into a queue."""
    return Path(__file__).with_name("submit.js")
