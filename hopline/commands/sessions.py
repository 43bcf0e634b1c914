"""hopline sessions: list, show, delete."""

from __future__ import annotations

from typing import Annotated

import typer

from hopline.commands.client import connected
from hopline.commands.console import agree, answers, notice, print_json
from hopline.commands.ids import whole_session_id
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson, Yes
from hopline.models.sessions import MOST_SESSIONS
from hopline.views.sessions import print_memory, print_sessions

app = noun("Show or delete what sessions of questions remember.")
Id = Annotated[str, typer.Argument(metavar="ID", help="Name or id of the session, or a prefix of the id.")]


@app.command(name="list")
def list_sessions(as_json: AsJson = False) -> None:
    """List the sessions that remember something, newest first."""
    with connected() as client:
        listed = client.sessions.list(limit=MOST_SESSIONS)
    if as_json:
        print_json(listed.model_dump_json())
        return
    print_sessions(answers(), listed.sessions)


@app.command()
def show(session_id: Id, as_json: AsJson = False) -> None:
    """Show the last questions that a session remembers, and how their answers begin."""
    with connected() as client:
        memory = client.sessions.get(whole_session_id(client, session_id))
    if as_json:
        print_json(memory.model_dump_json())
        return
    print_memory(answers(), memory)


@app.command()
def delete(session_id: Id, yes: Yes = False) -> None:
    """Delete a session's memory, so that its next question starts from nothing. Its jobs stay."""
    with connected() as client:
        memory = client.sessions.get(whole_session_id(client, session_id))
        within = ", ".join(memory.collections)
        agree(f"Delete what session {memory.name} remembers ({len(memory.turns)} turns, {within})?", yes=yes)
        client.sessions.delete(memory.id)
    notice(f"Session {memory.name} no longer remembers anything.")
