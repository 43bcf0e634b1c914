"""The Celery application: its queues and settings."""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from celery import Celery, signals
from kombu.entity import Queue
from kombu.utils.url import parse_url

from workers.adapters.redis.client import redis_client, sentinel_options
from workers.core.redis_address import parse_sentinels, without_secrets
from workers.core.redis_keys import BEAT
from workers.core.retries import RETRIES
from workers.settings import Settings, load_settings
from workers.telemetry.queues import PRIORITIES, QUEUES, SENT_AT

if TYPE_CHECKING:
    from redbeat.schedulers import RetryingConnection

_TAKEN_AT_ONCE = 6  # messages; more would leave too few for the other workers
_SCHEDULES_SECONDS = 60  # that Redis may be away until beat ends, to be started again


def _configuration(settings: Settings) -> dict[str, Any]:
    """Return Celery's settings; docs/adr/0001 explains those that matter.

    Flower shows them: a password stands in `broker_url` only, which Celery masks.
    """
    broker_url, transport, of_sentinels = _broker(settings.broker_address)
    return {
        "broker_url": broker_url,
        "broker_use_ssl": parse_url(broker_url).get("ssl"),  # Flower looks for it only here
        "result_backend": "workers.transport.channels:Results+redis://",
        "imports": ("workers.process", "workers.schedules.tasks"),
        "task_queues": [Queue(name) for name in QUEUES],
        "task_default_queue": "interactive",
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "worker_prefetch_multiplier": 1,
        "task_ignore_result": True,
        "task_inherit_parent_priority": True,  # what follows in a chain is as urgent as what went before
        "broker_transport_options": {
            "visibility_timeout": RETRIES.unacknowledged_seconds,
            "unacked_restore_interval": 5,
            "unacked_restore_throttle": 1,
            "unacked_mutex_expire": 30,
            "max_connections": 512,
            "socket_keepalive": True,
            "health_check_interval": 10,
            "queue_order_strategy": "priority",
            "priority_steps": list(range(PRIORITIES)),
            "taken_at_once": _TAKEN_AT_ONCE,
            **of_sentinels,
        },
        "broker_transport": transport,
        "worker_consumer": "workers.transport.consumer:Consumer",
        "broker_pool_limit": 64,
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "task_publish_retry_policy": {
            "max_retries": RETRIES.publish_calls,
            "interval_start": RETRIES.publish_first_wait,
            "interval_step": RETRIES.publish_further_wait,
            "interval_max": RETRIES.publish_longest_wait,
        },
        "result_expires": 3600,
        "result_chord_join_timeout": 3,
        # Work goes on while the broker is away: the ledger says whether it still counts.
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "worker_send_task_events": True,
        "task_send_sent_event": False,
        "task_serializer": "json",
        "result_serializer": "json",
        "accept_content": ["json"],
        # Schedules lie in the ledger's Redis; a beat process that is gone is replaced after a minute.
        "redbeat_redis_url": without_secrets(settings.redis_url.get_secret_value()),
        "redbeat_key_prefix": BEAT,
        "redbeat_lock_timeout": 60,
        "redbeat_redis_options": {},
        "beat_max_loop_interval": 10,
        "worker_hijack_root_logger": False,
        "worker_redirect_stdouts": False,
    }


def _broker(url: str) -> tuple[str, str, dict[str, Any]]:
    """Return the broker's address for kombu and Flower, its transport, and its Sentinel options."""
    address = parse_sentinels(url)
    if address is None:
        return url, "workers.transport.channels:Transport", {}
    login = ":".join(quote(part or "", safe="") for part in (address.username, address.password))
    host, port = address.nodes[0]
    options = {
        "master_name": address.name,
        "sentinels": address.nodes,
        "sentinel_kwargs": sentinel_options(address),
    }
    return (
        f"sentinel://{login}@{host}:{port}/{address.database}",
        "workers.transport.channels:SentinelTransport",
        options,
    )


class Application(Celery):
    """Celery with hopline's settings, which its own configuration, shown by Flower, must not hold.

    Args:
        settings: read from the environment when first needed, unless given.
    """

    amqp_cls = "workers.transport.channels:Broker"
    events_cls = "workers.transport.events:Events"

    def __init__(self, settings: Settings | None = None) -> None:
        super().__init__("hopline", set_as_current=settings is None)
        self._own_settings = settings

    @property
    def settings(self) -> Settings:
        """The settings."""
        return self._own_settings or load_settings()

    @cached_property
    def redbeat_redis(self) -> RetryingConnection:
        """The ledger's Redis in redbeat's settings."""
        from redbeat.schedulers import RetryingConnection  # noqa: PLC0415 - of schedules alone

        client = redis_client(self.settings.redis_url.get_secret_value())
        return RetryingConnection(_SCHEDULES_SECONDS, client)


app = Application()
# Read when a worker or a producer first needs it, not when this module is imported.
app.add_defaults(lambda: _configuration(app.settings))


def application_for(settings: Settings) -> Application:
    """Return an application that knows only how to send, for clients with settings of their own."""
    made = Application(settings)
    made.conf.update(_configuration(settings))
    return made


@signals.before_task_publish.connect
def _stamp(headers: dict[str, Any], **_: Any) -> None:
    """Write on a message when it is sent: by us, or by Celery as the next of a chain or a chord's body."""
    headers[SENT_AT] = time.time()
