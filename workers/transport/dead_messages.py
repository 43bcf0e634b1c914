"""Keeps the messages that nobody can do: those that cannot be read, and those of no task."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import orjson
import redis
import structlog

from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from hopline.models.times import STORED, Timestamp
from workers.telemetry.queues import queue_lists

if TYPE_CHECKING:
    from redis.client import Pipeline

log = structlog.get_logger()

DEAD_MESSAGES = "hop:dead-messages"  # a list in the broker's Redis, the newest first
_KEPT = 1_000  # messages
_LONGEST = 100_000  # characters of one
_KEY = re.compile(r"(hop_[0-9a-f]{12}_)[A-Za-z0-9_-]{43}")
_MASKED = re.compile(r"hop_[0-9a-f]{12}_…")
_SHOWN = 60  # characters of what a message is, in lists
_NOT_WHOLE = (
    "this message is not kept whole: it was too long, or held an API key. Send it from where it came from"
)
_NO_MESSAGE = "this text is no message of Celery's, so that no worker could ever do it: delete it"


class DeadMessage(Frozen):
    """A message that was taken from a queue and not done."""

    queue: str
    reason: str
    at: Timestamp
    text: str  # as it lay in the queue, without the secrets of API keys


def bury(client: redis.Redis, queue: str, raw: bytes | str | Mapping[str, Any], reason: str) -> None:
    """Keep a message that cannot be done, and log that there is one.

    Args:
        client: Redis client of the broker.
        queue: that it lay in.
        raw: the message as stored in Redis, or as read.
        reason: why it cannot be done.

    Raises:
        redis.ConnectionError: the broker is away.
    """
    text = raw if isinstance(raw, str) else _text_of(raw)
    dead = DeadMessage(
        queue=queue, reason=reason[:500], at=datetime.now(UTC), text=_KEY.sub(r"\1…", text[:_LONGEST])
    )
    pipeline = client.pipeline(transaction=False)
    pipeline.lpush(DEAD_MESSAGES, dead.model_dump_json(context=STORED))
    pipeline.ltrim(DEAD_MESSAGES, 0, _KEPT - 1)
    log.error("message.dead", queue=queue, reason=dead.reason)
    try:
        pipeline.execute()
    except redis.ResponseError as error:  # as of a full Redis: whoever takes messages goes on
        log.warning("message.not_kept", error=str(error))


def _text_of(raw: bytes | Mapping[str, Any]) -> str:
    return raw.decode("utf-8", "backslashreplace") if isinstance(raw, bytes) else orjson.dumps(raw).decode()


class Buried(NamedTuple):
    """A dead message as stored in the list."""

    stored: bytes | str
    message: DeadMessage

    @property
    def id(self) -> str:
        """An id derived from the stored message."""
        stored = self.stored.encode() if isinstance(self.stored, str) else self.stored
        return hashlib.sha256(stored).hexdigest()[:16]

    @property
    def what(self) -> str:
        """The task and the id of a message of Celery's, or how another text begins."""
        text = self.message.text
        try:
            headers = orjson.loads(text)["headers"]
            return f"{headers['task']} {headers['id']}"[:_SHOWN]
        except (ValueError, LookupError, TypeError):
            return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def buried(client: redis.Redis, limit: int | None = None) -> list[Buried]:
    """Return the dead messages, the newest first.

    Args:
        client: Redis client of the broker.
        limit: how many at most; None for all.
    """
    texts = cast("Sequence[bytes | str]", client.lrange(DEAD_MESSAGES, 0, (limit or 0) - 1))
    return [Buried(text, DeadMessage.read_stored(text)) for text in texts]


def forget(client: redis.Redis, dead: Buried) -> bool:
    """Remove a dead message; return False if it was already gone."""
    return bool(client.lrem(DEAD_MESSAGES, 1, cast("str", dead.stored)))


def send_again(client: redis.Redis, dead: Buried) -> bool:
    """Move a dead message to the end of its queue; return False if it is no longer kept.

    Raises:
        InvalidInput: a worker could never read it as kept.
    """
    message = dead.message
    name, text = _list_of(message), message.text

    def move(pipeline: Pipeline) -> Any:
        kept = pipeline.lrange(DEAD_MESSAGES, 0, -1)
        pipeline.multi()
        if dead.stored not in kept:
            return False
        pipeline.lrem(DEAD_MESSAGES, 1, cast("str", dead.stored))
        pipeline.lpush(name, text)
        return True

    return bool(client.transaction(move, DEAD_MESSAGES, value_from_callable=True))


def _list_of(dead: DeadMessage) -> str:
    """Return the Redis list that a message belongs into.

    Raises:
        InvalidInput: it is not complete, or is not a message.
    """
    if len(dead.text) >= _LONGEST or _MASKED.search(dead.text):
        raise InvalidInput("message", dead.queue, "a message that was kept in full", message=_NOT_WHOLE)
    try:
        priority = orjson.loads(dead.text)["properties"].get("priority") or 0
        return queue_lists(dead.queue)[priority]
    except (ValueError, LookupError, TypeError, AttributeError):
        raise InvalidInput("message", dead.queue, "a Celery message", message=_NO_MESSAGE) from None
