"""Reads what is stored of API keys: once for all requests that come at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from producer.api.groups import Groups
from producer.service.keys import OPENED, STORED

if TYPE_CHECKING:
    import redis.asyncio


class StoredKey(NamedTuple):
    """What is stored of a key, and of the need for one."""

    fields: int  # of the hash of keys
    opened: bool  # servers may do without keys
    key: str | None  # an ApiKey as JSON; None if there is none of this id


class StoredKeys:
    """The keys in Redis.

    Args:
        client: of the ledger's Redis.
    """

    def __init__(self, client: redis.asyncio.Redis) -> None:
        self._client = client
        self._groups: Groups[str, StoredKey] = Groups(self._read_all)

    async def read(self, key_id: str) -> StoredKey:
        """Return what is stored of a key at a time after this call."""
        return await self._groups.do(key_id)

    async def _read_all(self, key_ids: Sequence[str]) -> list[StoredKey]:
        pipeline = self._client.pipeline(transaction=False)
        pipeline.hlen(STORED)
        pipeline.exists(OPENED)
        pipeline.hmget(STORED, list(key_ids))
        fields, opened, keys = await pipeline.execute()
        return [StoredKey(fields, bool(opened), key) for key in keys]
