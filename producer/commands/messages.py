"""hopline messages: those that no worker could do."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from hopline.commands.console import answers, notice, print_json
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson

_LONGEST = 60  # characters of a message in the table

app = noun("Messages in the broker that no worker could do.")


@app.command(name="list")
def list_dead(
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="How many to list.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the newest messages that no worker could do: when, from which queue, why, and what each is.

    --json has their whole text.

    [bold]Example[/bold]

      hopline messages --json | jq '.messages[].reason'
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
    from hopline.views.tables import Listing
    from hopline.views.words import moment

    table = Listing("at", "queue", "reason", "message", wide="reason")
    for message in listed:
        table.add(moment(message.at), message.queue, message.reason, _short(message.text))
    table.print(answers())
    notice("`hopline messages --json` shows the whole text of each.")


def _short(text: str) -> str:
    """Return the task and the id of a message of Celery's, or how another text begins."""
    try:
        headers = json.loads(text)["headers"]
        return f"{headers['task']} {headers['id']}"[:_LONGEST]
    except (ValueError, LookupError, TypeError):
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
