"""The Lua scripts, loaded once, called by hash."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any, cast

import redis
from redis.exceptions import NoScriptError

from workers.ledger.keys import job_keys


@cache
def _source(name: str) -> tuple[str, str]:
    folder = files("workers.ledger") / "lua"
    source = "\n".join((folder / f"{part}.lua").read_text(encoding="utf-8") for part in ("prelude", name))
    return source, hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()


class Scripts:
    """Runs a job's scripts; a restarted Redis that forgot them is taught again."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def call(self, name: str, job_id: str, *args: str | int) -> list[Any]:
        """Run one script over one job's keys."""
        source, sha = _source(name)
        keys = job_keys(job_id)
        try:
            reply = self._client.evalsha(sha, len(keys), *keys, *args)
        except NoScriptError:
            reply = self._client.eval(source, len(keys), *keys, *args)
        return cast("list[Any]", reply)

    def call_many(self, name: str, calls: list[tuple[str, list[str | int]]]) -> list[list[Any]]:
        """Run one script over many jobs in one round trip: (job id, arguments) each."""
        if not calls:
            return []
        source, sha = _source(name)
        try:
            return self._pipelined(sha, calls)
        except NoScriptError:
            self._client.script_load(source)
            return self._pipelined(sha, calls)

    def _pipelined(self, sha: str, calls: list[tuple[str, list[str | int]]]) -> list[list[Any]]:
        pipeline = self._client.pipeline(transaction=False)
        for job_id, args in calls:
            keys = job_keys(job_id)
            pipeline.evalsha(sha, len(keys), *keys, *args)
        return cast("list[list[Any]]", pipeline.execute())
