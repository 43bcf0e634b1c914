"""hopline pauses: list, create, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.client import connected
from hopline.commands.console import answers, notice, print_json
from hopline.commands.ids import whole_key_id
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson
from hopline.models.pauses import WorkKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopline.models.pauses import WorkPause

Kind = Annotated[WorkKind, typer.Argument(help="What to pause.")]
Name = Annotated[
    str, typer.Argument(help="Name of a queue, step or model; or the id of an API key, or a prefix of it.")
]


app = noun("Pauses of queues, steps, models and API keys, across all jobs: make one, list them, end one.")


@app.command(name="list")
def list_pauses(as_json: AsJson = False) -> None:
    """List the pauses across all jobs, oldest first."""
    with connected() as client:
        paused = client.pauses.list()
    if as_json:
        print_json(paused.model_dump_json())
    else:
        _print(paused.pauses)


@app.command()
def create(kind: Kind, name: Name) -> None:
    """Pause a queue, a step, a model or an API key, across all jobs.

    Work in progress finishes, nothing new starts, and nothing is lost. Deadlines still apply. To pause one
    batch, use `hopline batches pause NAME`.

    [bold]Examples[/bold]

      hopline pauses create queue bulk

      hopline pauses create step ingest.extract
    """
    with connected() as client:
        client.pauses.pause(kind, whole_key_id(client, name) if kind == "key" else name)
    notice(f"Paused {kind} {name}: `hopline pauses delete {kind} {name}` resumes it.")


@app.command()
def delete(kind: Kind, name: Name) -> None:
    """End a pause; waiting work starts within about a minute.

    [bold]Example[/bold]

      hopline pauses delete queue bulk
    """
    with connected() as client:
        client.pauses.resume(kind, whole_key_id(client, name) if kind == "key" else name)
    notice(f"Resumed {kind} {name}.")


def _print(paused: Sequence[WorkPause]) -> None:
    from hopline.views.tables import Listing
    from hopline.views.words import moment

    if not paused:
        answers().print("Nothing is paused across jobs; `hopline batches` shows batches that are.")
        return
    table = Listing("what", "name", "since", "by", wide="name", spare=("by",))
    for pause in paused:
        table.add(pause.kind, pause.name, moment(pause.since), pause.by)
    table.print(answers())
