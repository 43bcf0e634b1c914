"""Pages of jobs: how much of the list of newest jobs one page reads."""

from __future__ import annotations

from typing import Any

from fakeredis import FakeRedis, FakeServer

from workers.ledger.ledger import Ledger
from workers.ledger.records import Wanted


class _CountingRedis(FakeRedis):
    """Keeps how many members of a sorted set were asked for at a time."""

    def __init__(self) -> None:
        super().__init__(server=FakeServer(), decode_responses=True)
        self.asked: list[int] = []

    def zrange(self, *args: Any, **options: Any) -> Any:
        """Return what is asked for."""
        self.asked.append(options["num"])
        return super().zrange(*args, **options)


def test_a_page_of_jobs_looks_at_a_hundred_at_a_time() -> None:
    client = _CountingRedis()
    client.zadd("hop:recent", {f"j{number}": 1000.0 + number for number in range(150)})
    assert Ledger(client).page(Wanted()) == ([], "")
    assert client.asked[0] == 100
