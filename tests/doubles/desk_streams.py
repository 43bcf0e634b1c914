"""What the API reads of jobs while somebody waits for them, from a desk's ledger."""

from typing import Any

import orjson

from doubles.desk import Desk
from producer.service.service import Service
from workers.core.jobs.messages import Publisher


class DeskService(Service):
    """The service over a desk, whose waits read the desk's ledger instead of Redis."""

    def __init__(self, desk: Desk, publisher: Publisher) -> None:
        super().__init__(services=desk, publisher=publisher)  # type: ignore[arg-type] - what of them is used
        self._desk = desk

    def waiting_client(self, connections: int) -> Any:
        del connections
        return _Streams(self._desk)

    def close(self) -> None:
        """Leave the desk as it is: the next command works at it, too."""


class _Streams:
    """The few commands of Redis by which events are read, asynchronous."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def _entries(self, key: str, after: int = 0) -> list[tuple[str, dict[str, str]]]:
        job_id = key.partition("{")[2].partition("}")[0]
        return [
            (entry_id, {"name": event.name, "data": orjson.dumps(event.data).decode()})
            for entry_id, event in self._desk.ledger.events(job_id, str(after))
        ]

    async def hget(self, key: str, field: str) -> str | None:
        assert field == "state"
        record = self._desk.ledger.job(key.partition("{")[2].partition("}")[0])
        return record.state.value if record else None

    async def xread(self, streams: dict[str, str], *, count: int, block: int | None) -> list[Any]:
        del count, block
        [(key, after)] = streams.items()
        entries = self._entries(key, int(after))
        return [(key, entries)] if entries else []

    async def xrevrange(self, key: str, *, count: int) -> list[Any]:
        return self._entries(key)[::-1][:count]

    async def xrange(self, key: str, first: str = "-", last: str = "+", *, count: int) -> list[Any]:
        del last
        entries = self._entries(key)
        return [entry for entry in entries if first in ("-", entry[0])][:count]

    async def aclose(self) -> None: ...
