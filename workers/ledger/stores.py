"""Opens the stores in Redis when first used: jobs, batches, pauses, sessions."""

from __future__ import annotations

from functools import cached_property
from typing import cast

import redis

from hopline.models.collections import CollectionTitle
from workers.adapters.redis.client import redis_client
from workers.adapters.redis.key_principals import KeyPrincipals
from workers.core.jobs.records import Config
from workers.core.redis_keys import COLLECTION_TITLES, IMPORTS
from workers.ledger.batches import BatchBooks, Batches
from workers.ledger.conversations import Conversations
from workers.ledger.ledger import Ledger
from workers.ledger.metadata_schemas import MetadataSchemas
from workers.ledger.pauses import Pauses
from workers.ledger.sessions import Sessions
from workers.ledger.spool import Spool
from workers.limits.breakers import Breakers
from workers.limits.rate_limiter import LineLimits, RateLimiter
from workers.settings import Settings

_LONGEST_WEBHOOK_HOLD = 12 * 3600.0


class Records:
    """The ledger and the stores related to it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.in_worker = False  # else this process submits and watches

    @cached_property
    def hasty_redis(self) -> redis.Redis:
        """The ledger's Redis with short timeouts, for data that may be lost: callers do not wait for it."""
        return redis_client(self.settings.redis_url.get_secret_value(), patient=False)

    @cached_property
    def broker_redis(self) -> redis.Redis:
        """Celery's Redis, for reading its queues; usually that of the ledger."""
        broker = self.settings.broker_url
        return redis_client(broker.get_secret_value()) if broker else self.redis

    @cached_property
    def redis(self) -> redis.Redis:
        """The ledger's Redis."""
        return redis_client(self.settings.redis_url.get_secret_value())

    @cached_property
    def ledger(self) -> Ledger:
        """Jobs and items."""
        settings = self.settings
        return Ledger(
            self.redis,
            Config(
                lease_seconds=settings.lease_seconds,
                resend_seconds=settings.resend_seconds,
                resend_cap_seconds=settings.resend_cap_seconds,
                backoff_seconds=settings.backoff_seconds,
                max_attempts=settings.max_attempts,
                keep_seconds=settings.result_days * 86400,
            ),
        )

    @cached_property
    def spool(self) -> Spool:
        """Results of very large jobs."""
        return Spool(self.ledger)

    @cached_property
    def pauses(self) -> Pauses:
        """Pauses of jobs."""
        return Pauses(self.redis)

    @cached_property
    def breakers(self) -> Breakers:
        """The servers that count as unavailable."""
        return Breakers(self.redis)

    @cached_property
    def limiter(self) -> RateLimiter:
        """The limits of the model endpoints."""
        settings = self.settings
        chat = LineLimits(
            rpm=settings.model_rpm,
            tpm=settings.model_tpm,
            calls=settings.model_calls_cluster,
            timeout=settings.model_timeout,
        )
        embedding = LineLimits(
            rpm=settings.embedding_rpm,
            tpm=settings.embedding_tpm,
            calls=settings.embedding_calls_cluster,
            timeout=settings.model_timeout,
        )
        limits = {"model": chat, "embedding": embedding}
        used = settings.tokens_counted == "used"
        return RateLimiter(self.redis, limits, settings.interactive_share, used=used)

    @cached_property
    def key_principals(self) -> KeyPrincipals:
        """The principals that API keys read for."""
        return KeyPrincipals(self.redis)

    @cached_property
    def batches(self) -> Batches:
        """The records of named batches."""
        return Batches(self.redis)

    @cached_property
    def books(self) -> BatchBooks:
        """The figures of named batches, for their reports."""
        return BatchBooks(self.redis)

    @cached_property
    def webhook_config(self) -> Config:
        """Times and limits of jobs that call webhooks: a receiver may be unavailable for a day."""
        return self.ledger.config.model_copy(
            update={
                "max_attempts": self.settings.webhook_attempts,
                "backoff_seconds": self.settings.webhook_backoff_seconds,
                "longest_hold_seconds": _LONGEST_WEBHOOK_HOLD,
            }
        )

    @cached_property
    def metadata_schemas(self) -> MetadataSchemas:
        """The metadata schema of each collection."""
        return MetadataSchemas(self.redis)

    @cached_property
    def collection_titles(self) -> CollectionTitles:
        """The titles and descriptions of collections."""
        return CollectionTitles(self.redis)

    def forget_collection(self, collection: str) -> None:
        """Delete what Redis stores about a collection: metadata schema, title, conversations, import."""
        self.metadata_schemas.remove(collection)
        self.collection_titles.remove(collection)
        self.redis.hdel(IMPORTS, collection)
        self.conversations.erase_collection(collection)

    @cached_property
    def sessions(self) -> Sessions:
        """Earlier exchanges of sessions."""
        return Sessions(self.redis)

    @cached_property
    def conversations(self) -> Conversations:
        """Questions and answers stored for people."""
        return Conversations(self.redis, self.settings.conversation_days)


class CollectionTitles:
    """Titles and descriptions of collections, by name.

    Args:
        client: a Redis client with `decode_responses`.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def all(self) -> dict[str, CollectionTitle]:
        """Return the titles and descriptions of all collections that have any, by name."""
        stored = cast("dict[str, str]", self._client.hgetall(COLLECTION_TITLES))
        return {name: CollectionTitle.read_stored(text) for name, text in stored.items()}

    def read(self, collection: str) -> CollectionTitle:
        """Return a collection's title and description; empty ones if it has none."""
        stored = cast("str | None", self._client.hget(COLLECTION_TITLES, collection))
        return CollectionTitle.read_stored(stored) if stored else CollectionTitle()

    def write(self, collection: str, title: CollectionTitle) -> None:
        """Store a collection's title and description."""
        self._client.hset(COLLECTION_TITLES, collection, title.model_dump_json())

    def remove(self, collection: str) -> None:
        """Delete a collection's title and description, if any."""
        self._client.hdel(COLLECTION_TITLES, collection)
