"""Service for the memory of sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.models.sessions import Session, SessionMemory, Turn
from producer.service.backend import Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workers.ledger.sessions import Remembered


class Sessions(Part):
    """The memory of sessions."""

    def newest(self, caller: str | None) -> list[Session]:
        """Return the sessions that remember something, most recent question first.

        Args:
            caller: id of the API key that owns them; None for all.
        """
        return [_told(each) for each in self._services.sessions.remembered(caller)]

    def memory(self, session: Session, principals: Sequence[str] | None) -> SessionMemory:
        """Return what a session remembers, oldest first.

        Args:
            session: the session.
            principals: leave out answers that rest on documents they may not see; None leaves out none.
        """
        from workers.core.scope import Scope

        stored = _stored(session)
        kept = self._services.sessions.exchanges(stored.home, stored.kept_as)
        if principals is not None:
            resting = {document for exchange in kept for document in exchange.documents}
            scope = Scope().seen_by(principals)
            seen = self._services.scopes.among(session.collections, resting, scope)
            kept = [exchange for exchange in kept if seen.issuperset(exchange.documents)]
        turns = [Turn(job_id=each.job_id, question=each.question, answer=each.answer) for each in kept]
        return SessionMemory(**vars(session), turns=tuple(turns))

    def forget(self, session: Session) -> None:
        """Delete what a session remembers."""
        stored = _stored(session)
        with self._audit.act("erase", "session", session.name, stored.home):
            self._services.sessions.forget(stored)


def _told(each: Remembered) -> Session:
    fields = {"id": each.id, "key": each.caller, "at": each.at}
    return Session(name=each.name, collections=each.collections, principals=each.principals, **fields)


def _stored(session: Session) -> Remembered:
    from workers.ledger.sessions import Remembered

    of = {"caller": session.key, "principals": session.principals}
    return Remembered(name=session.name, collections=session.collections, **of)
