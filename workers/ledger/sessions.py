"""Earlier questions and answers of a session, stored for a while to understand the next question."""

from __future__ import annotations

import hashlib
from typing import Annotated, cast

import redis
from pydantic import AfterValidator, Field
from redis.client import Pipeline

from hopline.models.base import Frozen
from workers.core.redis_keys import newest_key, session_key, sessions_key

MOST_EXCHANGES = 10  # that the next question may know of
_LISTED = 10_000  # sessions
_LONGEST_ANSWER = 2000  # characters; what follows says little about what the next question means
_SECONDS = 7 * 86400


def _cut(answer: str) -> str:
    return answer if len(answer) <= _LONGEST_ANSWER else answer[: _LONGEST_ANSWER - 1] + "…"


class Exchange(Frozen):
    """A question of a session and its answer; a long answer is cut."""

    job_id: str
    question: str
    answer: Annotated[str, AfterValidator(_cut)]
    scope: str = ""  # what it was read within, see `engine.session_history`; "" for everything
    documents: tuple[str, ...] = ()  # ids of those that the answer rests on, kept where there is a scope


class Remembered(Frozen):
    """A session with stored questions, and its owner."""

    name: str  # as questions give it
    collections: tuple[str, ...]  # that its questions read
    caller: str = ""  # the id of the API key
    principals: tuple[str, ...] | None = None  # in whose name they were asked, each once and in order
    at: float = Field(default=0.0, exclude=True)  # when the last one ended, in seconds since the epoch

    @property
    def home(self) -> str:
        """The collection that it is stored under, whatever the order in which several are given."""
        return min(self.collections)

    @property
    def kept_as(self) -> str:
        """Its stored name, distinct for different keys, principals and sets of collections."""
        named = self.name
        if len(self.collections) > 1:
            named = f"{named} over {','.join(sorted(self.collections))}"
        if self.principals is not None:
            named = f"{named} of {','.join(self.principals)}"
        return f"{self.caller}/{named}" if self.caller else named

    @property
    def id(self) -> str:
        """A short hash of both."""
        return hashlib.sha256(f"{self.home}:{self.kept_as}".encode()).hexdigest()[:16]


class Sessions:
    """Questions and answers by collection and session id; those of different collections stay separate.

    Args:
        client: a Redis client with `decode_responses`.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def add(self, session: Remembered, exchange: Exchange) -> None:
        """Store an exchange, once per job."""
        key = session_key(session.home, session.kept_as)
        entry = exchange.model_dump_json(exclude_defaults=True)

        def remember(pipeline: Pipeline) -> None:
            kept = [Exchange.read_stored(text) for text in cast("list[str]", pipeline.lrange(key, 0, -1))]
            pipeline.multi()
            if all(earlier.job_id != exchange.job_id for earlier in kept):
                pipeline.rpush(key, entry)
                pipeline.ltrim(key, -MOST_EXCHANGES, -1)
                pipeline.expire(key, _SECONDS)

        self._client.transaction(remember, key)
        self._list(session)

    def _list(self, session: Remembered) -> None:
        seconds, _ = self._client.time()
        pipeline = self._client.pipeline(transaction=False)
        for listed in {sessions_key(""), sessions_key(session.caller)}:
            pipeline.zadd(listed, {session.model_dump_json(): seconds})
            pipeline.zremrangebyscore(listed, "-inf", seconds - _SECONDS)
            pipeline.zremrangebyrank(listed, 0, -1 - _LISTED)
            pipeline.expire(listed, _SECONDS)
        pipeline.execute()

    def remembered(self, caller: str | None) -> list[Remembered]:
        """Return the sessions with stored questions; the one with the newest question comes first.

        Args:
            caller: id of the API key that the sessions belong to; None for all.
        """
        entries = self._client.zrange(sessions_key(caller or ""), 0, -1, desc=True, withscores=True)
        listed = [
            Remembered.read_stored(text).model_copy(update={"at": at})
            for text, at in cast("list[tuple[str, float]]", entries)
        ]
        return [each for each in listed if caller is None or each.caller == caller]

    def forget(self, session: Remembered) -> None:
        """Delete everything stored for a session."""
        pipeline = self._client.pipeline()
        pipeline.delete(session_key(session.home, session.kept_as), newest_key(session.home, session.kept_as))
        for listed in {sessions_key(""), sessions_key(session.caller)}:
            pipeline.zrem(listed, session.model_dump_json())
        pipeline.execute()

    def exchanges(self, collection: str, session: str) -> list[Exchange]:
        """Return the last exchanges, oldest first."""
        entries = cast("list[str]", self._client.lrange(session_key(collection, session), 0, -1))
        return [Exchange.read_stored(entry) for entry in entries]

    def follow(self, collection: str, session: str, job_id: str) -> str | None:
        """Record the session's newest job; return the previous one."""
        key = newest_key(collection, session)
        return cast("str | None", self._client.set(key, job_id, ex=_SECONDS, get=True))
