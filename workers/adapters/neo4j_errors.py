"""What Neo4j's errors mean to a worker."""

from __future__ import annotations

from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConnectionAcquisitionTimeoutError,
    DatabaseUnavailable,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from workers.core.errors import DependencyAway, HoplineError, Permanent, Transient

_AWAY = (
    ServiceUnavailable,
    SessionExpired,
    DatabaseUnavailable,
    ConnectionAcquisitionTimeoutError,
    # A server that is starting refuses logins before it knows its users. A password that stays wrong
    # pauses the work, and `hopline doctor` says why.
    AuthError,
    OSError,
)
_OVERTAKEN = "Neo.ClientError.Statement.EntityNotFound"
_OUT_OF_TIME = "Neo.ClientError.Transaction."
_NO_DATABASE = "Neo.ClientError.Database."

Failure = Neo4jError | DriverError | OSError
FAILURES = (Neo4jError, DriverError, OSError)


def is_worth_repeating(error: Failure) -> bool:
    """Say whether the same transaction may succeed a moment later.

    Deadlocks and other transient errors; a lost connection, since every query is idempotent; and a node that
    somebody deleted between its being found and its being locked.
    """
    if isinstance(error, AuthError | ConnectionAcquisitionTimeoutError):
        return False
    if isinstance(error, Neo4jError) and error.code == _OVERTAKEN:
        return True
    return isinstance(error, OSError) or error.is_retryable()


def classed(error: Failure, query: str) -> HoplineError:
    """Return the error as hopline's own, by what a worker does with it."""
    text = f"{query}: {error}"
    code = (error.code or "") if isinstance(error, Neo4jError) else ""
    if isinstance(error, _AWAY) or code.startswith(_NO_DATABASE):
        return DependencyAway(f"Neo4j cannot be reached: {text}", dependency="neo4j")
    if is_worth_repeating(error) or code.startswith(_OUT_OF_TIME):
        return Transient(f"Neo4j failed: {text}")
    if isinstance(error, ClientError):
        return Permanent(f"Neo4j refused: {text}")
    return Transient(f"Neo4j failed: {text}")
