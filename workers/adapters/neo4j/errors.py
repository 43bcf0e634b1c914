"""Translates Neo4j's errors into hopline's classes of errors."""

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

from workers.core.certificates import distrust
from workers.core.errors import DependencyAway, HoplineError, LoginRefused, Permanent, Transient

_AWAY = (
    ServiceUnavailable,
    SessionExpired,
    DatabaseUnavailable,
    ConnectionAcquisitionTimeoutError,
    OSError,
)
OWN, OF_TOOLS = "HOPLINE_NEO4J", "HOPLINE_TOOLS_NEO4J"  # what the settings of a database begin with
_NOT_THERE = "Neo.ClientError.Statement.EntityNotFound"
_WRONG_TYPE, _NULLS = "Neo.ClientError.Statement.TypeError", "Collections containing null values"
_OUT_OF_TIME = "Neo.ClientError.Transaction."
_TOO_MANY_LOGINS = "Neo.ClientError.Security.AuthenticationRateLimit"
_NO_DATABASE = "Neo.ClientError.Database."

Failure = Neo4jError | DriverError | OSError
FAILURES = (Neo4jError, DriverError, OSError)


def is_worth_repeating(error: Failure) -> bool:
    """Return whether the same transaction may succeed a moment later.

    Deadlocks and other transient errors; a lost connection, since every query is idempotent; and a node that
    somebody deleted between its being found and its being locked.
    """
    if is_login_refused(error) or isinstance(error, ConnectionAcquisitionTimeoutError) or distrust(error):
        return False
    return isinstance(error, OSError) or _is_overtaken(error) or error.is_retryable()


def _is_overtaken(error: Failure) -> bool:
    """Return whether a node went meanwhile: it cannot be found, or all its properties read as null.

    No parameter of a statement puts null into a list that is stored, so nulls are of such a node.
    """
    if not isinstance(error, Neo4jError):
        return False
    return error.code == _NOT_THERE or (error.code == _WRONG_TYPE and _NULLS in (error.message or ""))


def is_login_refused(error: BaseException) -> bool:
    """Return whether a server refused the login, or blocks logins for a while."""
    return isinstance(error, AuthError) or getattr(error, "code", None) == _TOO_MANY_LOGINS


def refusal(url: str, settings: str = OWN) -> str:
    """Return the message about a database that refuses the login.

    Args:
        url: its address.
        settings: what the settings of its login begin with; "" if no setting holds it.
    """
    message = f"Neo4j at {url} refuses the user or password"
    return (
        f"{message}: set {settings}_USER and {settings}_PASSWORD with the right ones" if settings else message
    )


def classed(error: Failure, query: str, refused: str = "Neo4j refuses the user or password") -> HoplineError:
    """Return the error as hopline's own, by what a worker does with it.

    Args:
        error: the driver's.
        query: what was asked.
        refused: what to say where the login was refused.
    """
    if is_login_refused(error):
        # It pauses the work, as a server does that is starting and does not know its users yet.
        return LoginRefused(refused, dependency="neo4j")
    text = f"{query}: {distrust(error) or error}"
    code = (error.code or "") if isinstance(error, Neo4jError) else ""
    if isinstance(error, _AWAY) or code.startswith(_NO_DATABASE):
        return DependencyAway(f"Neo4j cannot be reached: {text}", dependency="neo4j")
    if is_worth_repeating(error) or code.startswith(_OUT_OF_TIME):
        return Transient(f"Neo4j failed: {text}")
    if isinstance(error, ClientError):
        return Permanent(f"Neo4j refused: {text}")
    return Transient(f"Neo4j failed: {text}")
