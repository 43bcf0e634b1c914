"""Every error that crosses a boundary, classed by what a worker does with it."""

from __future__ import annotations

from hopline.errors import _KIND, Deferred, HoplineError, Permanent
from hopline.secrets import scrubbed


class WorkPaused(Deferred):
    """Somebody paused the work: nothing is done instead of waiting."""


BLOCKS_LOGIN = "has blocked this user for a few seconds after several wrong passwords"  # by whomever


def login_advice(does: str, correct: str) -> str:
    """Return what to do about a login that a server did not accept.

    Args:
        does: REFUSES_LOGIN or BLOCKS_LOGIN.
        correct: how to correct its user and password; "" if no setting holds them.
    """
    if does != BLOCKS_LOGIN:
        return correct
    unless = f"; if the user or password is wrong, {correct}" if correct else ""
    return f"try again in a moment{unless}"


class StoreUnseen(Deferred):
    """This worker does not see the blob store of the others; only it has to wait."""

    def __init__(self, missing: str = "") -> None:
        more = f": {missing} is not in its own" if missing else ""
        super().__init__(f"this worker does not see the blob store of the others{more}")


class DependencyRefuses(Permanent):
    """A server refuses every request until an operator fixes a key, name or address.

    Who waits is told at once; bulk work pauses instead of giving up all its items, one after another.

    Attributes:
        dependency: what refuses, as its breaker is named.
    """

    def __init__(self, message: str, *, dependency: str) -> None:
        super().__init__(message)
        self.dependency = dependency


class BudgetExceeded(HoplineError):
    """The job's budget is used up: stop the phase early and go on with what there is; a batch pauses.

    Attributes:
        limited: what is: calls, tokens or cost; "" if nobody told.
        limit: of it, in millionths where it is the cost.
        room_soon: only what calls in flight may take at most is in the way: there may be room when they end.
    """

    def __init__(self, message: str, *, limited: str = "", limit: int = 0, room_soon: bool = False) -> None:
        super().__init__(message)
        self.limited = limited
        self.limit = limit
        self.room_soon = room_soon


class ModelRefusedSchema(Permanent):
    """A model's reply did not fit the schema, also after one repair.

    Attributes:
        content: what it said at last, for who can use a part of it.
    """

    def __init__(self, message: str, content: str = "") -> None:
        super().__init__(message)
        self.content = content


class ModelRefused(Permanent):
    """A model declined to answer."""


class EmbedderMismatch(Permanent):
    """A collection was built with another embedder than the one configured; reindex it."""


def worded(error: BaseException) -> str:
    """Return an error as recorded: its class and its words, without secrets."""
    return scrubbed(f"{type(error).__name__}: {error}")


def class_of(recorded: str) -> str:
    """Return the class of an error as it was recorded; "" where only its words were."""
    named = _KIND.match(recorded)
    return named[0].removesuffix(": ") if named else ""


class DocumentSuperseded(Permanent):
    """A newer version of the document is being written; this writer stops."""


class CypherRefused(Permanent):
    """A statement is not run: it may do more than read, or more than is allowed, or it cannot be planned."""


class CypherTooLong(Permanent):
    """A statement was ended: it, or its plan, took longer than it may."""


class CypherLost(Permanent):
    """The connection was lost after a statement was sent, maybe by the statement: it is not sent again."""
