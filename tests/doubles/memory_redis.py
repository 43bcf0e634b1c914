"""A Redis in memory that runs the ledger's scripts: fakeredis, with what those scripts need and it lacks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import redis
from fakeredis import FakeRedis, FakeServer
from fakeredis.commands_mixins.hash_mixin import HashCommandsMixin

from doubles.databases import address_of
from workers.services import Services
from workers.settings import Settings

_VERSION = (7, 2)
_MSGPACK = Path(__file__).with_name("cmsgpack.lua")
_hrandfield: Callable[..., Any] = HashCommandsMixin.hrandfield


def _hrandfield_as_redis(socket: HashCommandsMixin, key: Any, *args: bytes) -> Any:
    """Return no fields of a missing hash where a count is given; fakeredis returns nil."""
    fields = _hrandfield(socket, key, *args)
    return [] if fields is None and args else fields


HashCommandsMixin.hrandfield = _hrandfield_as_redis


def memory_server() -> FakeServer:
    """Return an empty server whose scripts have cmsgpack."""
    server = FakeServer(version=_VERSION)
    FakeRedis(server=server).eval("return 1", 0)  # its Lua runtime is made by the first script
    server._lua_runtime.execute(_MSGPACK.read_text(encoding="utf-8"))
    server._lua_expected_globals.add(b"cmsgpack")
    return server


def memory_redis(server: FakeServer | None = None) -> FakeRedis:
    """Return a client of this server, or of an empty one; it speaks text, as the ledger's clients do."""
    return FakeRedis(server=server or memory_server(), decode_responses=True)


def services_over(client: redis.Redis, **settings: object) -> Services:
    """Return the adapters over a client's database, be it of a server or in memory."""
    if isinstance(client, FakeRedis):
        services = Services(Settings.model_validate(settings))
        services.__dict__ |= dict.fromkeys(("redis", "hasty_redis", "broker_redis"), client)
        return services
    return Services(Settings.model_validate({"redis_url": address_of(client), **settings}))
