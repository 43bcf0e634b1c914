"""hopline messages: those that no worker could do."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated

import typer

from producer.commands.options import AsJson
from producer.console import ReportingGroup, answers, notice, print_json

app = typer.Typer(
    name="messages",
    cls=ReportingGroup,
    no_args_is_help=True,
    help="Messages in the broker that no worker could do.",
)


@app.command()
def dead(
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="How many to list.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the newest messages that no worker could do: when, from which queue, why, and the text.

    [bold]Example[/bold]

      hopline messages dead --json | jq '.messages[].reason'
    """
    from producer.service.service import Service

    service = Service()
    try:
        listed = service.dead_messages(limit)
    finally:
        service.close()
    if as_json:
        print_json(json.dumps({"messages": [message.model_dump(mode="json") for message in listed]}))
        return
    if not listed:
        notice("There are none.")
        return
    from producer.views.tables import Listing

    table = Listing("at", "queue", "reason", "text", wide="text")
    for message in listed:
        at = datetime.fromtimestamp(message.at).astimezone().isoformat(sep=" ", timespec="seconds")
        table.add(at, message.queue, message.reason, message.text)
    table.print(answers())
