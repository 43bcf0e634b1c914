"""Stores in Redis which request forms endpoints accept, learnt from their refusals."""

from __future__ import annotations

from typing import cast

import orjson
import redis
import structlog

from hopline.models.jobs import Json

FORMS = "hop:forms:"  # and endpoint, a blank, model -> JSON
_log = structlog.get_logger()


class LearntForms:
    """The Learnt port over Redis; entries that are not renewed are dropped after a while.

    Args:
        client: the ledger's Redis.
        hours: lifetime of an entry; the endpoint may have been fixed in the meantime.
    """

    def __init__(self, client: redis.Redis, hours: float) -> None:
        self._client = client
        self._seconds = max(1, int(hours * 3600))

    def recall(self, endpoint: str, model: str) -> Json:
        """Return the learnt form; {} if nothing is known or Redis is unavailable."""
        try:
            stored = cast("bytes | None", self._client.get(f"{FORMS}{endpoint} {model}"))
        except redis.RedisError:
            return {}
        return cast("Json", orjson.loads(stored)) if stored else {}

    def keep(self, endpoint: str, model: str, form: Json) -> None:
        """Replace the learnt form, and log it."""
        _log.info("model.form_learnt", endpoint=endpoint, model=model, **form)
        try:
            self._client.set(f"{FORMS}{endpoint} {model}", orjson.dumps(form), ex=self._seconds)
        except redis.RedisError as error:
            _log.info("model.form_not_shared", reason=str(error))
