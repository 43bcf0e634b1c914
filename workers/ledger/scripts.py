"""The Lua scripts, loaded once and called by hash."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from typing import Any, cast

import redis
from redis.exceptions import NoScriptError, ResponseError

from workers.adapters.redis.lua import lua_source
from workers.core.redis_keys import job_keys


@cache
def script_source(name: str) -> tuple[str, str]:
    """Return a script's text with the prelude, and the hash it is called by."""
    source = lua_source("workers.ledger", "prelude", name)
    return source, hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()


class Scripts:
    """Runs a job's scripts, and loads them again if a restarted Redis has lost them."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def call(self, name: str, job_id: str, *args: str | int, more_keys: Sequence[str] = ()) -> list[Any]:
        """Run a script over a job's keys, followed by the given keys."""
        source, sha = script_source(name)
        keys = [*job_keys(job_id), *more_keys]
        try:
            reply = self._client.evalsha(sha, len(keys), *keys, *args)
        except NoScriptError:
            reply = self._client.eval(source, len(keys), *keys, *args)
        return cast("list[Any]", reply)

    def call_all(self, job_id: str, calls: Sequence[tuple[str, list[str | int]]]) -> list[list[Any]]:
        """Run several scripts over one job, in order, in one round trip, each given as (script, arguments).

        Each one sees the changes of those before it. If the server has lost a script, that script and all
        later ones are run again, in order; repeating a script has no further effect.

        Raises:
            ResponseError: the first script that failed; the later ones have run.
        """
        keys = job_keys(job_id)
        pipeline = self._client.pipeline(transaction=False)
        for name, args in calls:
            pipeline.evalsha(script_source(name)[1], len(keys), *keys, *args)
        replies = pipeline.execute(raise_on_error=False)
        forgotten = (nth for nth, reply in enumerate(replies) if isinstance(reply, NoScriptError))
        if (first := next(forgotten, None)) is not None:
            for name in {name for name, _args in calls}:
                self._client.script_load(script_source(name)[0])
            replies[first:] = self.call_all(job_id, calls[first:])
        for reply in replies:
            if isinstance(reply, ResponseError):
                raise reply
        return cast("list[list[Any]]", replies)

    def call_many(
        self, name: str, calls: list[tuple[str, list[str | int]]]
    ) -> list[list[Any] | ResponseError]:
        """Run one script over many jobs in one round trip, each given as (job id, arguments).

        If the script fails for one job, the error replaces its reply, so that one broken job does not affect
        the others. Errors of the server itself (memory, rights) are raised.
        """
        source, sha = script_source(name)
        replies = self._pipelined(sha, calls)
        forgotten = [nth for nth, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
        if forgotten:
            again = self._pipelined(sha, [calls[nth] for nth in forgotten], source)
            for nth, reply in zip(forgotten, again, strict=True):
                replies[nth] = reply
        for reply in replies:
            if isinstance(reply, ResponseError) and type(reply) is not ResponseError:
                raise reply
        return replies

    def _pipelined(
        self, sha: str, calls: Sequence[tuple[str, list[str | int]]], source: str = ""
    ) -> list[list[Any] | ResponseError]:
        """Run the script by its hash, loading its source into the server if needed."""
        pipeline = self._client.pipeline(transaction=False)
        for job_id, args in calls:
            keys = job_keys(job_id)
            if source:
                pipeline.eval(source, len(keys), *keys, *args)
                source = ""
            else:
                pipeline.evalsha(sha, len(keys), *keys, *args)
        return cast("list[list[Any] | ResponseError]", pipeline.execute(raise_on_error=False))
