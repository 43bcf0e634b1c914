"""Ended jobs whose rows wait to be written to history."""

from typing import Any

import redis

from hopline.models.history import HistoryRow
from workers.core.redis_keys import HISTORY

DAY = 86400.0
FIRST_MOMENT = 1_790_000_000.0  # 2026-09-21


def row(number: int = 0, **fields: Any) -> HistoryRow:
    """Return the row of a job that ended `number` hours after the first."""
    ended = FIRST_MOMENT + 3600 * number
    defaults: dict[str, Any] = {
        "id": f"j{number}", "epoch": 1, "kind": "query", "collection": "default", "state": "done",
        "created": ended - 2, "ended": ended, "seconds": 2.0,
    }  # fmt: skip
    return HistoryRow.model_validate(defaults | fields)


class Ends:
    """Hands rows over as `hand_over.lua` does."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self.all: list[tuple[str, int]] = []

    def put(self, *rows: HistoryRow) -> None:
        for each in rows:
            self._client.hset(HISTORY, f"{each.id} {each.epoch}", each.model_dump_json())
            self.all.append((each.id, each.epoch))

    def add(self, number: int, *, again: bool) -> None:
        """End a new job, or one that is there once more."""
        epochs = dict(sorted(self.all))
        if again and epochs:
            name = sorted(epochs)[number % len(epochs)]
            epoch = epochs[name] + 1
        else:
            name, epoch = f"j{len(self.all)}", 1
        # A job that is retried ends later than it did before.
        self.put(row(9 * len(self.all), id=name, epoch=epoch))

    def newest(self) -> list[tuple[str, int]]:
        return sorted(dict(sorted(self.all)).items())
