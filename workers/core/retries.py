"""Numbers of attempts and waiting times after failures; `docs/retries.md` is generated from it.

Those that an operator may change are settings (`HOPLINE_MAX_ATTEMPTS`, …), also listed on that page.
"""

from __future__ import annotations

from hopline.models.base import Frozen


class Retries(Frozen):
    """Numbers of retries, each with its reason."""

    # Calls of models
    model_calls: int = 3
    """Number of tries for one model call within an attempt, while the endpoint is busy or fails. More would
    block a thread that other items could use; the ledger makes the next attempt.
    """
    model_first_wait: float = 0.1
    """Seconds before the second call, doubled each time, and varied randomly by up to half."""
    model_longest_wait: float = 2.0
    """Longest wait in seconds that an endpoint may ask for (`Retry-After`) before the item goes back to its
    queue.
    """
    model_time_limits: float = 1.5
    """Time limits of one call (`HOPLINE_MODEL_TIMEOUT`) that all calls of an attempt may take together."""
    item_time_limits: float = 4.0
    """The same for a whole item: two replies, each with its retries and the wait for its turn."""

    # Redis
    redis_calls: int = 25
    """Retries of one command over a lost connection: some 20 seconds, which outlasts a restart or a failover.
    Every script of the ledger may run twice."""
    redis_first_wait: float = 0.02
    """Seconds before the first of these, doubled each time."""
    redis_longest_wait: float = 1.0
    """Longest wait in seconds between two of them."""
    result_calls: int = 3
    """Retries of one command about a task's result; Celery also repeats the whole operation."""

    # Neo4j
    neo4j_seconds: float = 5.0
    """Seconds for which a transaction is repeated after a temporary failure, such as a deadlock."""
    neo4j_away_seconds: float = 1.0
    """The same while the server cannot be reached; then the ledger defers the item, which costs nothing."""
    neo4j_conflicts: int = 5
    """Number of times that a read or a change is restarted because of concurrent changes."""
    scope_reads: int = 2
    """Number of times that a caller's view is read if it is replaced meanwhile."""

    # Messages
    publish_calls: int = 20
    """Retries of sending a message while the broker is away; the watchdog later sends messages that were
    never sent.
    """
    publish_first_wait: float = 0.1
    """Seconds before the first of these; each further wait is `publish_further_wait` longer."""
    publish_further_wait: float = 0.3
    """Seconds by which each wait grows."""
    publish_longest_wait: float = 1.0
    """Longest wait in seconds between two of them."""
    unacknowledged_seconds: int = 120
    """Seconds after which the broker redelivers a message that no worker has acknowledged."""

    # Files
    history_reads: int = 3
    """Number of times that history files are read if they are merged meanwhile."""


RETRIES = Retries()
