"""What other services see of hopline over Celery: a broker, and a queue to submit to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import redis
from celery import Celery

from producer.service.keys import ApiKeys
from workers.services import Services

COLLECTION = "messages"
QUESTION = {"question": "Who built the bridge?"}


@dataclass
class Post:
    """What other services see of hopline: a broker."""

    url: str
    services: Services
    broker: redis.Redis
    plain: Celery = field(init=False)  # knows nothing of hopline

    def __post_init__(self) -> None:
        self.plain = Celery("reports", broker=self.url, backend=self.url, set_as_current=False)
        self.plain.conf.broker_pool_limit = 64  # kombu's is the process's: another one resizes ours

    def call(self, task: str, headers: dict[str, Any] | None = None, **message: Any) -> dict[str, Any]:
        """Send a task as any Celery application would; return its result."""
        sent = self.plain.send_task(task, kwargs=message, queue="submissions", headers=headers)
        result: dict[str, Any] = sent.get(timeout=120)
        return result

    def submit(self, headers: dict[str, Any] | None = None, **message: Any) -> dict[str, Any]:
        """Submit a question, unless the message says otherwise."""
        fields = {"kind": "query", "params": QUESTION, "collection": COLLECTION}
        return self.call("hopline.submit", headers, **fields | message)

    def key(self, *scopes: str) -> dict[str, str]:
        """Return the headers that show a new API key."""
        text = ApiKeys(self.services.redis).create("test", frozenset(scopes))[1]
        return {"hopline_key": text}

    def drop_keys(self) -> None:
        """Let everybody do without a key again."""
        keys = ApiKeys(self.services.redis)
        for key in keys.all():
            keys.revoke(key.id)
        keys.drop_need()
