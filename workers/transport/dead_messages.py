"""Keeps the messages that nobody can do: those that cannot be read, and those of no task."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

import orjson
import redis
import structlog

from hopline.models.base import Frozen
from hopline.models.times import STORED, Timestamp

log = structlog.get_logger()

DEAD_MESSAGES = "hop:dead-messages"  # a list in the broker's Redis, the newest first
_KEPT = 1_000  # messages
_LONGEST = 100_000  # characters of one
_KEY = re.compile(r"(hop_[0-9a-f]{12}_)[A-Za-z0-9_-]{43}")


class DeadMessage(Frozen):
    """A message that was taken from a queue and not done."""

    queue: str
    reason: str
    at: Timestamp
    text: str  # as it lay in the queue, without the secrets of API keys


def bury(client: redis.Redis, queue: str, raw: bytes | str | Mapping[str, Any], reason: str) -> None:
    """Keep a message that cannot be done, and log that there is one.

    Args:
        client: of the broker's Redis.
        queue: that it lay in.
        raw: as it lay there, or as it was read.
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


def dead_messages(client: redis.Redis, limit: int) -> list[DeadMessage]:
    """Return the dead messages, the newest first.

    Args:
        client: of the broker's Redis.
        limit: how many at most.
    """
    texts = cast("Sequence[bytes | str]", client.lrange(DEAD_MESSAGES, 0, limit - 1))
    return [DeadMessage.read_stored(text) for text in texts]
