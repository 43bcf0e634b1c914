"""The service behind all interfaces: an object per noun, over the adapters and the publisher.

The command line, the HTTP API, assistants and the local client all use these objects (docs/adr/0020). Each
call imports what it needs, because flows, stages and drivers take a second to load and most commands need few
of them.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from producer.service.backend import Backend
from producer.service.batches.batches import Batches
from producer.service.batches.estimates import Estimates
from producer.service.batches.sources import Sources
from producer.service.collections import Collections
from producer.service.concepts import Concepts
from producer.service.conversations import Conversations
from producer.service.documents import Documents
from producer.service.graph import Graph
from producer.service.history import History
from producer.service.job_acts.weights import WorkWeights
from producer.service.job_acts.work_pauses import WorkPauses
from producer.service.jobs import Jobs
from producer.service.messages import Messages
from producer.service.metadata.schemas import CollectionSchemas
from producer.service.originals import Originals
from producer.service.questions import Questions
from producer.service.sessions import Sessions
from producer.service.syncs import Syncs
from producer.service.tools import Tools

if TYPE_CHECKING:
    from collections.abc import Iterable

    import redis.asyncio

    from hopline.models.about import Part, Setting
    from producer.service.keys import ApiKeys
    from producer.service.schedules import Schedules
    from workers.core.jobs.messages import Publisher
    from workers.core.ports import Blobs
    from workers.limits.slots import Slots
    from workers.services import Services
    from workers.settings import Settings

_OTHER_TOOLS = (
    "Workers were started with another HOPLINE_TOOLS_NEO4J_URL or _USER than is set here, so their tools ask "
    "another graph: `hopline up` starts the local stack's with these."
)


class Service(Backend):
    """All operations of hopline.

    Connections are opened by the first call that needs them. Threads may share the service.

    Args:
        settings: addresses of the servers; by default from the environment.
        services: existing adapters; by default built from the settings.
        publisher: sends the messages of new jobs; by default Celery's.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        services: Services | None = None,
        publisher: Publisher | None = None,
    ) -> None:
        super().__init__(settings, services, publisher)
        self.questions = Questions(self)
        self.documents = Documents(self)
        self.originals = Originals(self)
        self.batches = Batches(self)
        self.estimates = Estimates(self)
        self.sources = Sources(self)
        self.jobs = Jobs(self)
        self.messages = Messages(self)
        self.sessions = Sessions(self)
        self.conversations = Conversations(self)
        self.work_pauses = WorkPauses(self)
        self.weights = WorkWeights(self)
        self.history = History(self)
        self.collections = Collections(self)
        self.graph = Graph(self)
        self.concepts = Concepts(self)
        self.schemas = CollectionSchemas(self)
        self.tools = Tools(self)
        self.syncs = Syncs(self)

    @property
    def keys(self) -> ApiKeys:
        """The API keys."""
        from producer.service.key_changes import AuditedKeys

        return AuditedKeys(self.services.redis, self.services.audit)

    @property
    def schedules(self) -> Schedules:
        """The schedules of syncs."""
        from producer.service.schedules import Schedules
        from workers.app import application_for

        return Schedules(self.services, application_for(self.services.settings))

    @property
    def blobs(self) -> Blobs:
        """The store of data that is too large for a message."""
        return self.services.blobs

    def waiting_client(self, connections: int) -> redis.asyncio.Redis:
        """Return a Redis client for waits and streams, with a maximum number of connections."""
        from workers.adapters.redis.client import waiting_client

        return waiting_client(self.services.settings.redis_url.get_secret_value(), connections)

    @cached_property
    def slots(self) -> Slots:
        """The counter of each API key's jobs in flight."""
        from workers.limits.slots import Slots

        return Slots(self.services.redis, self.services.settings.api_jobs_in_flight)

    def queue_depth(self) -> int:
        """Return how many messages wait for workers, over all queues."""
        from workers.telemetry.queues import queue_depths

        return sum(queue_depths(self.services.broker_redis).values())

    def settings(self) -> tuple[Setting, ...]:
        """Return the settings of this process, and the workers whose settings differ, without secrets."""
        from producer.reports.machine import listed_settings
        from workers.telemetry.presence import settings_of_workers

        return listed_settings(self.services.settings, settings_of_workers(self.services.redis))

    def metrics(self, parts: Iterable[Part]) -> bytes:
        """Return counts, queue lengths and the status of parts in Prometheus's format.

        Args:
            parts: the probed status of the parts.
        """
        from producer.service.health.exposition import exposition

        return exposition(self.services.redis, self.services.broker_redis, parts)

    def webhook_secret(self, key_id: str) -> str:
        """Return the secret that signs webhooks of a key's jobs; key "" means jobs without a key."""
        from workers.adapters.webhook.secret import webhook_secret

        return webhook_secret(self.services.redis, self.services.settings, key_id)

    def show_webhook_secret(self, key_id: str) -> str:
        """Return the same secret for people; unlike other reads, this is audited."""
        with self.services.audit.act("show", "webhook-secret", key_id):
            return self.webhook_secret(key_id)

    def model_trouble(self) -> str:
        """Return why the model did not answer the latest call; "" if it did."""
        from workers.limits.breakers import trouble_of_model

        return trouble_of_model(self.services.breakers)

    def tools_trouble(self) -> str:
        """Return why the workers' tools query a different graph from this process's; "" if they do not."""
        from workers.telemetry.presence import settings_of_workers

        if not self.services.settings.tools_neo4j_url:
            return ""
        mine = self.services.settings.digests()
        names = [name for name in mine if name.startswith("tools_neo4j_")]
        theirs = settings_of_workers(self.services.redis).values()
        return _OTHER_TOOLS if any(o.get(n, mine[n]) != mine[n] for o in theirs for n in names) else ""
