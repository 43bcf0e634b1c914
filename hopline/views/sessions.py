"""Prints sessions of questions, and the questions of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopline.views.tables import Listing
from hopline.views.words import ago, subject_of

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.results import Job


def print_sessions(console: Console, jobs: Sequence[Job]) -> None:
    """Print the sessions that jobs belong to, in the order of the jobs, which come newest first."""
    sessions: dict[str, list[Job]] = {}
    for job in jobs:
        if session := job.params.get("session"):
            sessions.setdefault(session, []).append(job)
    if not sessions:
        console.print("No session has a question that is still kept.")
        return
    table = Listing(
        "session", "questions", "last", "collection", "newest", wide="newest", right=("questions",)
    )
    for session, asked in sessions.items():
        newest = asked[0]
        table.add(
            session,
            str(len(asked)),
            f"{ago(newest.created)} ago",
            ", ".join(newest.params.get("collections") or [newest.collection]),
            subject_of(newest.params),
        )
    table.print(console)


def print_questions(console: Console, jobs: Sequence[Job], session: str) -> None:
    """Print the questions of a session, the oldest first, of jobs that come newest first."""
    asked = [job for job in jobs if job.params.get("session") == session]
    if not asked:
        console.print("No question of this session is kept.")
        return
    table = Listing("job", "state", "begun", "question", wide="question")
    for job in reversed(asked):
        question = subject_of(job.params, whole=True)
        table.add(job.id, str(job.state), f"{ago(job.created)} ago", question)
    table.print(console)
