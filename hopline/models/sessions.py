"""Memory of sessions: earlier questions and answers that the next question may refer to."""

from __future__ import annotations

from pydantic import Field

from hopline.models.base import Frozen
from hopline.models.times import Timestamp

MOST_SESSIONS = 1000  # that one request lists


class Session(Frozen):
    """A session that remembers something, until seven days after its last question."""

    id: str
    name: str = Field(description="The session's name, as given with questions.")
    collections: tuple[str, ...]
    key: str = Field(default="", description="Id of the API key that owns the session; empty without a key.")
    principals: tuple[str, ...] | None = Field(
        default=None,
        description="Principals for whom its questions were asked; null if they could read everything.",
    )
    at: Timestamp = Field(description="End of its last question.")


class SessionList(Frozen):
    """Sessions, most recent question first."""

    sessions: tuple[Session, ...]


class Turn(Frozen):
    """A question of a session, and the beginning of its answer."""

    job_id: str
    question: str
    answer: str


class SessionMemory(Session):
    """The memory of a session, oldest first."""

    turns: tuple[Turn, ...]
