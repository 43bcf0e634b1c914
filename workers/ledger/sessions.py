"""Earlier questions and answers of a session, kept for a while to understand the next question."""

from __future__ import annotations

from typing import cast

import orjson
import redis
from redis.client import Pipeline

from workers.ledger.keys import session_key

_KEPT = 10  # exchanges
_SECONDS = 7 * 86400


class Sessions:
    """Questions and answers by session id.

    Args:
        client: a Redis client with `decode_responses`.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def add(self, session: str, job_id: str, question: str, answer: str) -> None:
        """Remember an exchange, once per job."""
        key = session_key(session)
        entry = orjson.dumps({"job_id": job_id, "question": question, "answer": answer}).decode()

        def remember(pipeline: Pipeline) -> None:
            kept = cast("list[str]", pipeline.lrange(key, 0, -1))
            pipeline.multi()
            if all(orjson.loads(earlier)["job_id"] != job_id for earlier in kept):
                pipeline.rpush(key, entry)
                pipeline.ltrim(key, -_KEPT, -1)
                pipeline.expire(key, _SECONDS)

        self._client.transaction(remember, key)

    def history(self, session: str) -> list[dict[str, str]]:
        """Return {question, answer} of the last exchanges, oldest first."""
        entries = cast("list[str]", self._client.lrange(session_key(session), 0, -1))
        exchanges = [orjson.loads(entry) for entry in entries]
        return [{"question": e["question"], "answer": e["answer"]} for e in exchanges]

    def follow(self, session: str, job_id: str) -> str | None:
        """Note the session's newest job; return the one before it."""
        last = self._client.set(session_key(session) + ":last", job_id, ex=_SECONDS, get=True)
        return cast("str | None", last)
