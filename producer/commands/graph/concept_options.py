"""The options of hopline concept, each once."""

from __future__ import annotations

from typing import Annotated

import typer

Name = Annotated[str, typer.Argument(help="A concept, in English or Chinese.", show_default=False)]
Refresh = Annotated[
    bool, typer.Option("--refresh", help="Look for new relations even if the map has enough.")
]
Held = Annotated[bool, typer.Option("--held", help="Show the stored map, without a job or a model.")]
History = Annotated[bool, typer.Option("--history", help="List the versions of its map.")]
Delete = Annotated[
    str | None, typer.Option(metavar="OTHER", help="Remove its relation to OTHER from the map.")
]
Abnormal = Annotated[str | None, typer.Option(metavar="OTHER", help="Mark its relation to OTHER as wrong.")]
Correct = Annotated[
    str | None,
    typer.Option(metavar="OTHER", help="Correct its relation to OTHER with the options that follow."),
]
Undo = Annotated[str | None, typer.Option(metavar="OTHER", help="Undo the newest change of that relation.")]
Domain = Annotated[str | None, typer.Option(help="Of --correct: OTHER's discipline.")]
Definition = Annotated[str | None, typer.Option(help="Of --correct: one sentence about OTHER.")]
Relation = Annotated[str | None, typer.Option(help="Of --correct: two sentences about how they are related.")]
Strength = Annotated[int | None, typer.Option(help="Of --correct: 1 to 5.", show_default=False)]
Reason = Annotated[str, typer.Option(help="Why you edit it; kept with the version.")]
Timeout = Annotated[float | None, typer.Option(help="Seconds; then it ends with what it has. (default 120)")]
Wait = Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the map, or print the job's id.")]
