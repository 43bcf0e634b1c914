"""hopline messages: list, show, send, delete."""

from __future__ import annotations

from typing import Annotated

import typer

from hopline.commands.client import connected
from hopline.commands.console import agree, answers, notice, print_json
from hopline.commands.ids import whole_message_id
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson, Yes
from hopline.views.words import moment

app = noun("Messages in the broker that no worker could process.")
Id = Annotated[
    str,
    typer.Argument(metavar="ID", help="Id of the message, or a prefix of it; `hopline messages` lists them."),
]


@app.command(name="list")
def list_dead(
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="Maximum number to list.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the newest messages that no worker could process, with time, queue, reason and content.

    [bold]Example[/bold]

      hopline messages --json | jq '.messages[].reason'
    """
    with connected() as client:
        listed = client.messages.list(limit=limit)
    if as_json:
        print_json(listed.model_dump_json(exclude_none=True))
        return
    if not listed.messages:
        notice("There are none.")
        return
    from hopline.views.tables import Listing

    table = Listing("id", "at", "queue", "reason", "message", wide="reason")
    for message in listed.messages:
        table.add(message.id, moment(message.at), message.queue, message.reason, message.what)
    table.print(answers())
    notice("`hopline messages show ID` shows the whole text of one.")


@app.command()
def show(message_id: Id, as_json: AsJson = False) -> None:
    """Show a message with its whole text, without the secrets of API keys."""
    with connected() as client:
        message = client.messages.get(whole_message_id(client, message_id))
    if as_json:
        print_json(message.model_dump_json())
        return
    answers().print(f"{message.queue}, {moment(message.at)}: {message.reason}", markup=False)
    answers().print(message.text, markup=False, soft_wrap=True)


@app.command()
def send(message_id: Id) -> None:
    """Send a message again: put it back into its queue, for example after an upgrade that adds its task.

    [bold]Example[/bold]

      hopline messages send 3f2a
    """
    with connected() as client:
        message = client.messages.send(whole_message_id(client, message_id))
    notice(f"Sent again, into {message.queue}: {message.what}.")


@app.command()
def delete(message_id: Id, yes: Yes = False) -> None:
    """Delete a message that no worker could process."""
    with connected() as client:
        message = client.messages.get(whole_message_id(client, message_id))
        agree(f"Delete {message.what}, of {message.queue}?", yes=yes)
        client.messages.delete(message.id)
    notice(f"Deleted {message.what}, of {message.queue}.")
