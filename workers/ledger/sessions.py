"""Earlier questions and answers of a session, kept for a while to understand the next question."""

from __future__ import annotations

from typing import cast

import orjson
import redis
from redis.client import Pipeline

from workers.ledger.keys import newest_key, session_key

_KEPT = 10  # exchanges
_LONGEST_ANSWER = 2000  # characters; what follows says little about what the next question means
_SECONDS = 7 * 86400


class Sessions:
    """Questions and answers by collection and session id: one collection's answers never reach another's.

    Args:
        client: a Redis client with `decode_responses`.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def add(self, collection: str, session: str, job_id: str, question: str, answer: str) -> None:
        """Remember an exchange, once per job; a long answer is cut."""
        key = session_key(collection, session)
        kept_answer = answer if len(answer) <= _LONGEST_ANSWER else answer[: _LONGEST_ANSWER - 1] + "…"
        entry = orjson.dumps({"job_id": job_id, "question": question, "answer": kept_answer}).decode()

        def remember(pipeline: Pipeline) -> None:
            kept = cast("list[str]", pipeline.lrange(key, 0, -1))
            pipeline.multi()
            if all(orjson.loads(earlier)["job_id"] != job_id for earlier in kept):
                pipeline.rpush(key, entry)
                pipeline.ltrim(key, -_KEPT, -1)
                pipeline.expire(key, _SECONDS)

        self._client.transaction(remember, key)

    def history(self, collection: str, session: str) -> list[dict[str, str]]:
        """Return {question, answer} of the last exchanges, oldest first."""
        entries = cast("list[str]", self._client.lrange(session_key(collection, session), 0, -1))
        exchanges = [orjson.loads(entry) for entry in entries]
        return [{"question": e["question"], "answer": e["answer"]} for e in exchanges]

    def follow(self, collection: str, session: str, job_id: str) -> str | None:
        """Record the session's newest job; return the one before it."""
        key = newest_key(collection, session)
        return cast("str | None", self._client.set(key, job_id, ex=_SECONDS, get=True))
