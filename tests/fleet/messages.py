"""What other services see of hopline over Celery: a broker, and a queue to submit to."""

import hashlib
import hmac
import json
import time
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import redis
from celery import Celery

from producer.service.keys import ApiKeys
from workers.services import Services

COLLECTION = "messages"
QUESTION = {"question": "Who built the bridge?"}


def sign(
    key: str, task: str, task_id: str, message: dict[str, Any], *, at: int | None = None, **headers: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments and headers of a signed message, as docs/messages.md has it."""
    _, key_id, secret = key.split("_", 2)
    text, now = json.dumps(message), int(time.time()) if at is None else at
    lines = "\n".join([task, task_id, str(now), headers.get("hopline_act_as") or "", text])
    digest = hashlib.sha256(secret.encode()).hexdigest()
    signature = hmac.new(digest.encode(), lines.encode(), "sha256").hexdigest()
    own = {"hopline_key_id": key_id, "hopline_time": now, "hopline_signature": signature}
    return {"signed": text}, headers | own


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
        """Send a task as any Celery application would, signed by `headers["key"]`; return its result."""
        kwargs, shown, task_id = message, dict(headers or {}), str(uuid4())
        if (key := shown.pop("key", None)) is not None:
            kwargs, shown = sign(key, task, task_id, message, **shown)
        sent = self.plain.send_task(task, kwargs=kwargs, queue="submissions", headers=shown, task_id=task_id)
        result: dict[str, Any] = sent.get(timeout=120)
        return result

    def submit(self, headers: dict[str, Any] | None = None, **message: Any) -> dict[str, Any]:
        """Submit a question, unless the message says otherwise."""
        fields = {"kind": "query", "params": QUESTION, "collection": COLLECTION}
        return self.call("hopline.submit", headers, **fields | message)

    def key(self, *scopes: str) -> dict[str, str]:
        """Return what has a message signed by a new API key."""
        return {"key": ApiKeys(self.services.redis).create("test", frozenset(scopes))[1]}

    def drop_keys(self) -> None:
        """Let everybody do without a key again."""
        keys = ApiKeys(self.services.redis)
        for key in keys.all():
            keys.revoke(key.id)
        keys.drop_need()
