"""hopline pause, resume, pauses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.client import connected
from hopline.commands.console import answers, notice, print_json
from hopline.commands.options import AsJson
from hopline.models.pauses import WorkKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopline.models.pauses import WorkPause

Kind = Annotated[WorkKind, typer.Argument(help="What the name is of.")]
Name = Annotated[str, typer.Argument(help="Of a queue, a step or a model; the id of an API key.")]


def pause(kind: Kind, name: Name) -> None:
    """Pause a queue, a step, a model or an API key, across all jobs.

    What is begun goes on to its end; nothing new is begun, and nothing is lost. Deadlines hold. For one batch
    there is `hopline batch NAME pause`.

    [bold]Examples[/bold]

      hopline pause queue bulk

      hopline pause step ingest.extract
    """
    with connected() as client:
        client.pauses.pause(kind, name)
    notice(f"Paused {kind} {name}: `hopline resume {kind} {name}` lets it go on.")


def resume(kind: Kind, name: Name) -> None:
    """Resume what `hopline pause` paused; what was laid aside is begun within about a minute.

    [bold]Example[/bold]

      hopline resume queue bulk
    """
    with connected() as client:
        client.pauses.resume(kind, name)
    notice(f"Resumed {kind} {name}.")


def pauses(as_json: AsJson = False) -> None:
    """List what is paused across jobs, oldest first."""
    with connected() as client:
        paused = client.pauses.list()
    if as_json:
        print_json(paused.model_dump_json())
    else:
        _print(paused.pauses)


def _print(paused: Sequence[WorkPause]) -> None:
    from hopline.views.tables import Listing

    if not paused:
        answers().print("Nothing is paused across jobs; `hopline batch` shows batches that are.")
        return
    table = Listing("what", "name", "since", "by", wide="name", spare=("by",))
    for pause in paused:
        since = f"{pause.since.astimezone():%Y-%m-%d %H:%M:%S}"
        table.add(pause.kind, pause.name, since, pause.by)
    table.print(answers())
