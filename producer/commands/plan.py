"""hopline plan."""

from __future__ import annotations

from typing import Annotated

import typer

from producer.commands.session import AsJson
from producer.console import answers, print_json

Documents = Annotated[int, typer.Option(min=1, help="How many documents.", show_default=False)]
Rpm = Annotated[int | None, typer.Option(min=1, help="Requests a minute. (default: by the settings)")]
Tpm = Annotated[int | None, typer.Option(min=1, help="Tokens a minute. (default: by the settings)")]
Calls = Annotated[
    int | None, typer.Option(min=1, help="Calls in flight, of all workers. (default: by the settings)")
]
Latency = Annotated[float, typer.Option(min=0, help="Seconds of one call.")]
Chunks = Annotated[float, typer.Option(min=1, help="Chunks of a document; `estimate` tells.")]
Tokens = Annotated[
    float,
    typer.Option(min=1, help="Tokens of a call, as the endpoint's limit counts them; `estimate` tells."),
]
Cores = Annotated[
    int | None,
    typer.Option(
        min=1, help="Cores of the one machine that everything runs on. (default: servers are elsewhere)"
    ),
]


def plan(
    documents: Documents,
    rpm: Rpm = None,
    tpm: Tpm = None,
    calls: Calls = None,
    latency: Latency = 2.0,
    chunks: Chunks = 2.0,
    tokens: Tokens = 5000.0,
    cores: Cores = None,
    as_json: AsJson = False,
) -> None:
    """Say how many bulk workers use up the model's limits, by arithmetic and by a simulated run.

    Nothing is started and nobody is asked. The simulation knows documents, items, threads, processors and
    limits; what an item costs was measured (docs/operations.md, "How many workers").

    [bold]Examples[/bold]

      hopline plan --documents 100000 --rpm 600 --latency 2

      hopline plan --documents 20000 --chunks 12 --tpm 2000000 --tokens 5000 --json
    """
    from producer.planning.plan import Wanted, make_plan
    from workers.settings import load_settings

    given = {"documents": documents, "latency": latency, "chunks": chunks, "tokens": tokens, "cores": cores}
    limits = {"rpm": rpm, "tpm": tpm, "calls": calls}
    found = make_plan(Wanted.of(load_settings(), **given, **limits))
    if as_json:
        print_json(found.model_dump_json())
        return
    from producer.views.plan import print_plan

    print_plan(answers(), found)
