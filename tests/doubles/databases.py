"""Databases of the session's Redis: each is one test's or module's, and nobody had it before.

What a test leaves running goes on in its own: calls in flight, for one, are renewed for two minutes.
"""

import itertools
from dataclasses import replace
from urllib.parse import urlsplit

import redis

from infra.local.process import Program

_DATABASES = 5000  # more than there are tests that ask for one
_NUMBERS = itertools.count(1)  # 0 is the stack's


def with_databases(server: Program) -> Program:
    """Return how to run a Redis that has so many."""
    return replace(server, command=(*server.command, "--databases", str(_DATABASES)))


def own_database(url: str) -> str:
    """Return the address of an empty database of a server."""
    return urlsplit(url)._replace(path=f"/{next(_NUMBERS)}").geturl()


def own_redis(url: str, protocol: int | None = None) -> redis.Redis:
    """Return a client of an empty database of a server."""
    return redis.Redis.from_url(own_database(url), decode_responses=True, protocol=protocol)


def address_of(client: redis.Redis) -> str:
    where = client.connection_pool.connection_kwargs
    return f"redis://:{where['password']}@{where['host']}:{where['port']}/{where['db']}"
