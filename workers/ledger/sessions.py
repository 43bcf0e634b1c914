"""Earlier questions and answers of a session, kept for a while to understand the next question."""

from __future__ import annotations

from typing import cast

import redis
from redis.client import Pipeline

from hopline.models.base import Frozen
from workers.ledger.keys import newest_key, session_key

_KEPT = 10  # exchanges
_LONGEST_ANSWER = 2000  # characters; what follows says little about what the next question means
_SECONDS = 7 * 86400


class Exchange(Frozen):
    """A question of a session, and what was answered."""

    job_id: str
    question: str
    answer: str
    scope: str = ""  # what it was read within, see `engine.session_history`; "" for everything
    documents: tuple[str, ...] = ()  # ids of those that the answer rests on, kept where there is a scope


class Sessions:
    """Questions and answers by collection and session id: one collection's answers never reach another's.

    Args:
        client: a Redis client with `decode_responses`.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def add(self, collection: str, session: str, exchange: Exchange) -> None:
        """Remember an exchange, once per job; a long answer is cut."""
        key, answer = session_key(collection, session), exchange.answer
        if len(answer) > _LONGEST_ANSWER:
            exchange = exchange.model_copy(update={"answer": answer[: _LONGEST_ANSWER - 1] + "…"})
        entry = exchange.model_dump_json(exclude_defaults=True)

        def remember(pipeline: Pipeline) -> None:
            kept = [Exchange.read_stored(text) for text in cast("list[str]", pipeline.lrange(key, 0, -1))]
            pipeline.multi()
            if all(earlier.job_id != exchange.job_id for earlier in kept):
                pipeline.rpush(key, entry)
                pipeline.ltrim(key, -_KEPT, -1)
                pipeline.expire(key, _SECONDS)

        self._client.transaction(remember, key)

    def exchanges(self, collection: str, session: str) -> list[Exchange]:
        """Return the last exchanges, oldest first."""
        entries = cast("list[str]", self._client.lrange(session_key(collection, session), 0, -1))
        return [Exchange.read_stored(entry) for entry in entries]

    def follow(self, collection: str, session: str, job_id: str) -> str | None:
        """Record the session's newest job; return the one before it."""
        key = newest_key(collection, session)
        return cast("str | None", self._client.set(key, job_id, ex=_SECONDS, get=True))
