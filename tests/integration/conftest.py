"""A submitted job on a Redis database of its own, for the ledger's tests."""

from __future__ import annotations

import pytest
import redis
from doubles.ledger_play import Play, own_redis


@pytest.fixture
def client(redis_url: str) -> redis.Redis:
    return own_redis(redis_url)


@pytest.fixture
def play(client: redis.Redis) -> Play:
    made = Play(client)
    made.submit()
    return made
