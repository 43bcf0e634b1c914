"""The audit: who changed what, when and from where; never the text of a document or a question."""

from __future__ import annotations

import getpass
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from hopline.models.audit import Act, AuditEvent, Via
from hopline.models.base import Frozen


class Actor(Frozen):
    """The person or process that acts, and the way the act came in."""

    via: Via
    key: str = ""  # the id of an API key; "" where there is none
    name: str = ""  # the key's name, or the account's on this machine
    acting: tuple[str, ...] = ()  # the principals in whose name a key that may act as others asks
    address: str = ""  # of the client, over HTTP
    request_id: str = ""


class WantedAudit(Frozen):
    """Filters for audited acts; fields that are None or empty do not filter."""

    since: float | None = None  # begun then or later; seconds since the epoch
    until: float | None = None  # begun before
    who: str = ""  # the id or name of a key, an account, or a principal acted for
    act: str = ""
    kind: str = ""
    target: str = ""
    via: str = ""
    outcome: str = ""
    collections: frozenset[str] | None = None


_LONGEST = 200  # characters of a name, which may be refused for its length
_ACTOR: ContextVar[Actor | None] = ContextVar("hop_actor", default=None)


def current_actor() -> Actor:
    """Return the current actor: the account that runs this process, unless a request or command set one."""
    return _ACTOR.get() or local_actor("client")


def local_actor(via: Via) -> Actor:
    """Return the account on this machine that runs the process."""
    return Actor(via=via, name=_account())


def set_actor(actor: Actor) -> None:
    """Set the actor for the rest of the context, such as the task of a request."""
    _ACTOR.set(actor)


@contextmanager
def acting(actor: Actor) -> Iterator[None]:
    """Set the actor inside the block."""
    token = _ACTOR.set(actor)
    try:
        yield
    finally:
        _ACTOR.reset(token)


def event_of(actor: Actor, act: Act, kind: str, target: str = "", collection: str = "") -> AuditEvent:
    """Return the audit event of an act that is about to start."""
    return AuditEvent(
        id=secrets.token_hex(8),
        began=time.time(),
        act=act,
        kind=kind,
        target=target[:_LONGEST],
        collection=collection[:_LONGEST],
        **actor.model_dump(),
    )


@cache
def _account() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an account without a name, as containers have
        return ""
