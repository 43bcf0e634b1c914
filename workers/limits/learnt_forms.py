"""Keeps in Redis what endpoints have taught about the requests that they take."""

from __future__ import annotations

from typing import cast

import orjson
import redis
import structlog

from hopline.models.jobs import Json

FORMS = "hop:forms:"  # and endpoint, a blank, model -> JSON
_log = structlog.get_logger()


class LearntForms:
    """The Learnt port over Redis; what is not learnt again is forgotten after a while.

    Args:
        client: the ledger's Redis.
        hours: until it is; an endpoint may have been mended meanwhile.
    """

    def __init__(self, client: redis.Redis, hours: float) -> None:
        self._client = client
        self._seconds = max(1, int(hours * 3600))

    def recall(self, endpoint: str, model: str) -> Json:
        """Return what is known; empty if nothing is, or Redis is away."""
        try:
            stored = cast("bytes | None", self._client.get(f"{FORMS}{endpoint} {model}"))
        except redis.RedisError:
            return {}
        return cast("Json", orjson.loads(stored)) if stored else {}

    def keep(self, endpoint: str, model: str, form: Json) -> None:
        """Keep what is known in place of what was, and log it."""
        _log.info("model.form_learnt", endpoint=endpoint, model=model, **form)
        try:
            self._client.set(f"{FORMS}{endpoint} {model}", orjson.dumps(form), ex=self._seconds)
        except redis.RedisError as error:
            _log.info("model.form_not_shared", reason=str(error))
