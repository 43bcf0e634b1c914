"""Celery's application over an empty database of its own."""

import pytest
import redis
from doubles.databases import address_of

from workers.app import Application, application_for
from workers.settings import Settings


@pytest.fixture
def broker(client: redis.Redis) -> redis.Redis:
    return client


@pytest.fixture
def application(broker: redis.Redis) -> Application:
    return application_for(Settings(broker_url=address_of(broker)))
