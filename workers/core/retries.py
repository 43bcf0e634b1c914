"""Numbers of attempts and waiting times after failures; `docs/retries.md` is generated from it.

Those that an operator may change are settings (`HOPLINE_MAX_ATTEMPTS`, …), also listed on that page.
"""

from __future__ import annotations

from hopline.models.base import Frozen


class Retries(Frozen):
    """Numbers of retries, each with its reason."""

    # Calls of models
    model_calls: int = 3
    """Times that one call of a model is made within an attempt, while the endpoint is busy or fails. More
    would hold a thread that other items could use: the next attempt comes from the ledger."""
    model_first_wait: float = 0.1
    """Seconds before the second call, doubled each time, half as long or half as long again by chance."""
    model_longest_wait: float = 2.0
    """Longest wait in seconds that an endpoint may ask for (`Retry-After`) before the item is given back."""
    model_time_limits: float = 1.5
    """Time limits of one call (`HOPLINE_MODEL_TIMEOUT`) that all calls of an attempt may take together."""
    item_time_limits: float = 4.0
    """The same for an item of work: two replies, each with its retries and the wait for its turn."""

    # Redis
    redis_calls: int = 25
    """Retries of one command over a lost connection: some 20 seconds, which outlasts a restart or a failover.
    Every script of the ledger may run twice."""
    redis_first_wait: float = 0.02
    """Seconds before the first of these, doubled each time."""
    redis_longest_wait: float = 1.0
    """Longest wait in seconds between two of them."""
    result_calls: int = 3
    """Retries of one command about a task's result; Celery repeats the whole operation besides."""

    # Neo4j
    neo4j_seconds: float = 5.0
    """Seconds in which a transaction is repeated that failed for a reason that passes, such as a deadlock."""
    neo4j_away_seconds: float = 1.0
    """The same while the server cannot be reached: the ledger waits at no cost."""
    neo4j_conflicts: int = 5
    """Times that a read or a change is begun again because others changed the same meanwhile."""
    scope_reads: int = 2
    """Times that what a caller may see is read where it is replaced meanwhile."""

    # Messages
    publish_calls: int = 20
    """Retries of sending a message while the broker is away; the watchdog sends again what was never sent."""
    publish_first_wait: float = 0.1
    """Seconds before the first of these; each wait is `publish_further_wait` longer than the one before."""
    publish_further_wait: float = 0.3
    """Seconds by which the waits grow."""
    publish_longest_wait: float = 1.0
    """Longest wait in seconds between two of them."""
    unacknowledged_seconds: int = 120
    """Seconds after which the broker hands out again a message that no worker has acknowledged."""

    # Files
    history_reads: int = 3
    """Times that files of the history are read where they are merged meanwhile."""


RETRIES = Retries()
