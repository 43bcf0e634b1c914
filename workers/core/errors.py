"""Every error that crosses a boundary, classified by how a worker reacts to it."""

from __future__ import annotations

from hopline.errors import _KIND, Deferred, HoplineError, Permanent
from hopline.secrets import scrubbed


class WorkPaused(Deferred):
    """Somebody paused the work: the worker does nothing instead of waiting."""


BLOCKS_LOGIN = "has blocked this user for a few seconds after several wrong passwords"  # by whomever


def login_advice(does: str, correct: str) -> str:
    """Return advice on what to do about a login that a server did not accept.

    Args:
        does: REFUSES_LOGIN or BLOCKS_LOGIN.
        correct: how to correct the user and password; "" if no setting contains them.
    """
    if does != BLOCKS_LOGIN:
        return correct
    unless = f"; if the user or password is wrong, {correct}" if correct else ""
    return f"try again in a moment{unless}"


class StoreUnseen(Deferred):
    """This worker cannot see the shared blob store; only this worker has to wait."""

    def __init__(self, missing: str = "") -> None:
        more = f": {missing} is not in its own" if missing else ""
        super().__init__(f"this worker does not see the blob store of the others{more}")


class DependencyRefuses(Permanent):
    """A server refuses every request until an operator fixes a key, name or address.

    Interactive callers are told immediately; bulk work pauses, so that its items do not fail one by one.

    Attributes:
        dependency: name of the refusing server, as its breaker uses it.
    """

    def __init__(self, message: str, *, dependency: str) -> None:
        super().__init__(message)
        self.dependency = dependency


class BudgetExceeded(HoplineError):
    """The job's budget is used up: stop the phase early and continue with the results so far; a batch pauses.

    Attributes:
        limited: the limit reached: calls, tokens or cost; "" if unknown.
        limit: its value, in millionths if it is the cost.
        room_soon: whether only reservations of calls in flight exceed it, so that there may be room when they
            end.
    """

    def __init__(self, message: str, *, limited: str = "", limit: int = 0, room_soon: bool = False) -> None:
        super().__init__(message)
        self.limited = limited
        self.limit = limit
        self.room_soon = room_soon


class ModelRefusedSchema(Permanent):
    """A model's reply did not fit the schema, even after one repair.

    Attributes:
        content: the model's last reply, for callers that can use part of it.
    """

    def __init__(self, message: str, content: str = "") -> None:
        super().__init__(message)
        self.content = content


class ModelRefused(Permanent):
    """A model declined to answer."""


class EmbedderMismatch(Permanent):
    """A collection was built with another embedder than the one configured; reindex it."""


def worded(error: BaseException) -> str:
    """Return an error as recorded: its class and message, without secrets."""
    return scrubbed(f"{type(error).__name__}: {error}")


def class_of(recorded: str) -> str:
    """Return the class name of a recorded error; "" if only its message was recorded."""
    named = _KIND.match(recorded)
    return named[0].removesuffix(": ") if named else ""


class DocumentSuperseded(Permanent):
    """A newer version of the document is being written; this writer stops."""


class CypherRefused(Permanent):
    """A statement is refused: it may do more than read, exceeds a limit, or cannot be planned."""


class CypherTooLong(Permanent):
    """A statement was aborted: planning or running it took too long."""


class CypherLost(Permanent):
    """The connection was lost after a statement was sent, perhaps because of it; it is not sent again."""
