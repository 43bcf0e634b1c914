# Written from hopline/aio by `python -m infra.client_code`: edit it there.
"""Sessions, which remember earlier questions and answers."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from hopline.allowed_values import InWords
from hopline.models.sessions import MOST_SESSIONS, Session, SessionList, SessionMemory
from hopline.operation import operation
from hopline.sync.noun import Noun

_Id = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9a-f]{16}$"),
    InWords("the id of a session"),
    Field(description="The session's id, as in the list."),
]


class Sessions(Noun):
    """Sessions, in which follow-up questions are understood."""

    @operation("GET", "/v1/sessions", right="read")
    def list(self, *, limit: Annotated[int, Field(ge=1, le=MOST_SESSIONS)] = 50) -> SessionList:
        """List the sessions that remember something, newest first; only an admin key sees all."""
        raise NotImplementedError

    @operation("GET", "/v1/sessions/{session_id}", right="read")
    def get(self, session_id: _Id) -> SessionMemory:
        """Show what a session remembers: its last questions and answers.

        For a request with principals, answers that rest on documents they may no longer see are left out.

        Raises:
            NotFound: it remembers nothing, or is another key's.
        """
        raise NotImplementedError

    @operation("DELETE", "/v1/sessions/{session_id}", right="submit")
    def delete(self, session_id: _Id) -> Session:
        """Delete what a session remembers; its next question has no context. Its jobs stay.

        A running question is still remembered when it ends.

        Raises:
            NotFound: it remembers nothing, or is another key's.
        """
        raise NotImplementedError
