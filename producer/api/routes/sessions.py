"""Routes for the memory of sessions: list, show, delete."""

from __future__ import annotations

from fastapi import APIRouter

from hopline.aio.sessions import AsyncSessions
from hopline.errors import NotFound
from hopline.models.sessions import Session, SessionList, SessionMemory
from producer.api.access import Caller
from producer.api.context import Api
from producer.api.serving import serves

router = APIRouter()


@serves(router, AsyncSessions.list)
def list_sessions(api: Api, caller: Caller, limit: int) -> SessionList:
    """Return the newest of the caller's sessions."""
    return SessionList(sessions=tuple(_seen(api, caller)[:limit]))


@serves(router, AsyncSessions.get, 404)
def show_session(api: Api, caller: Caller, session_id: str) -> SessionMemory:
    """Return what a session remembers, without anything that its reader may no longer see."""
    return api.service.sessions.memory(_find(api, caller, session_id), caller.principals)


@serves(router, AsyncSessions.delete, 404)
def delete_session(api: Api, caller: Caller, session_id: str) -> Session:
    """Delete what a session remembers."""
    found = _find(api, caller, session_id)
    api.service.sessions.forget(found)
    return found


def _seen(api: Api, caller: Caller) -> list[Session]:
    """Return the sessions that a caller may see, most recent question first."""
    kept = api.service.sessions.newest(None if caller.sees_all else caller.id)
    readers = None if caller.principals is None else tuple(sorted(set(caller.principals)))
    mine = (each for each in kept if caller.sees_all or each.principals == readers)
    return [each for each in mine if all(map(caller.sees, each.collections))]


def _find(api: Api, caller: Caller, session_id: str) -> Session:
    for each in _seen(api, caller):
        if each.id == session_id:
            return each
    raise NotFound(f"no session {session_id} remembers anything: `hopline sessions` lists those that do")
