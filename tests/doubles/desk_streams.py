"""The service over what a test plays in memory, whose waits read its ledger instead of Redis."""

import asyncio
from typing import Any

import orjson

from producer.service.service import Service
from workers.core.jobs.messages import Publisher

_BLOCK = 0.01  # seconds


class ServiceInMemory(Service):
    """The service over these services; it stays open when a command ends."""

    def __init__(self, services: Any, publisher: Publisher | None = None) -> None:
        super().__init__(services=services, publisher=publisher)
        self._ledger = services.ledger

    def waiting_client(self, connections: int) -> Any:
        del connections
        return _Streams(self._ledger)

    def close(self) -> None:
        pass


class _Streams:
    """The few commands of Redis by which events are read, asynchronous."""

    def __init__(self, ledger: Any) -> None:
        self._ledger = ledger

    def _entries(self, key: str, after: str = "0") -> list[tuple[str, dict[str, str]]]:
        job_id = key.partition("{")[2].partition("}")[0]
        return [
            (entry_id, {"name": event.name, "data": orjson.dumps(event.data).decode()})
            for entry_id, event in self._ledger.events(job_id, after)
        ]

    async def hget(self, key: str, field: str) -> str | None:
        assert field == "state"
        record = self._ledger.job(key.partition("{")[2].partition("}")[0])
        return record.state.value if record else None

    async def xread(self, streams: dict[str, str], *, count: int, block: int | None) -> list[Any]:
        del count
        [(key, after)] = streams.items()
        if entries := self._entries(key, after):
            return [(key, entries)]
        await asyncio.sleep(0 if block is None else _BLOCK)
        return []

    async def xrevrange(self, key: str, *, count: int) -> list[Any]:
        return self._entries(key)[::-1][:count]

    async def xrange(self, key: str, first: str = "-", last: str = "+", *, count: int) -> list[Any]:
        del last
        entries = self._entries(key)
        return [entry for entry in entries if first in ("-", entry[0])][:count]

    async def aclose(self) -> None: ...
