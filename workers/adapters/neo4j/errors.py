"""Translates Neo4j's errors into hopline's classes of errors."""

from __future__ import annotations

from typing import NamedTuple

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

from hopline.certificates import distrust
from hopline.errors import REFUSES_LOGIN, DependencyAway, HoplineError, LoginRefused, Permanent, Transient
from workers.core.errors import BLOCKS_LOGIN, login_advice

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

    This is the case for deadlocks and other transient errors; for a lost connection, since every query is
    idempotent; and for a node deleted between being found and being locked.
    """
    if refused_login(error) or isinstance(error, ConnectionAcquisitionTimeoutError) or distrust(error):
        return False
    return isinstance(error, OSError) or _is_overtaken(error) or error.is_retryable()


def _is_overtaken(error: Failure) -> bool:
    """Return whether a node was deleted meanwhile: it cannot be found, or all its properties are null.

    No statement stores null in a list, so nulls come from such a node.
    """
    if not isinstance(error, Neo4jError):
        return False
    return error.code == _NOT_THERE or (error.code == _WRONG_TYPE and _NULLS in (error.message or ""))


def refused_login(error: BaseException) -> str:
    """Return how a server reacts to a login that it did not accept; "" if the error is another one."""
    if getattr(error, "code", None) == _TOO_MANY_LOGINS:
        return BLOCKS_LOGIN
    return REFUSES_LOGIN if isinstance(error, AuthError) else ""


class Login(NamedTuple):
    """The address of a login, and the settings of its user and password.

    Attributes:
        url: the database's address; "" to leave it out.
        settings: prefix of the login's settings; "" if no setting contains it.
    """

    url: str = ""
    settings: str = ""

    def refusal(self, does: str) -> str:
        """Return the message about a server that refuses or blocks this login.

        Args:
            does: the server's reaction, as returned by `refused_login`.
        """
        correct = f"correct {self.settings}_USER and {self.settings}_PASSWORD" if self.settings else ""
        where = f" at {self.url}" if self.url else ""
        return f"Neo4j{where} {does}: {login_advice(does, correct)}".removesuffix(": ")


_UNNAMED = Login()


def classed(error: Failure, query: str, login: Login = _UNNAMED) -> HoplineError:
    """Return the error as hopline's own, classified by how a worker reacts to it.

    Args:
        error: the driver's error.
        query: name of the query.
        login: login to name if it was refused.
    """
    if does := refused_login(error):
        # It pauses the work, as a server does that is starting and does not know its users yet.
        return LoginRefused(login.refusal(does), dependency="neo4j")
    text = f"{query}: {distrust(error) or error}"
    code = (error.code or "") if isinstance(error, Neo4jError) else ""
    if isinstance(error, _AWAY) or code.startswith(_NO_DATABASE):
        return DependencyAway(f"Neo4j cannot be reached: {text}", dependency="neo4j")
    if is_worth_repeating(error) or code.startswith(_OUT_OF_TIME):
        return Transient(f"Neo4j failed: {text}")
    if isinstance(error, ClientError):
        return Permanent(f"Neo4j refused: {text}")
    return Transient(f"Neo4j failed: {text}")
