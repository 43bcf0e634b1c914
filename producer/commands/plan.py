"""hopline plan."""

from __future__ import annotations

from typing import Annotated

import typer

from producer.commands.session import AsJson
from producer.console import answers, print_json


def plan(
    documents: Annotated[int, typer.Option(min=1, help="How many documents.", show_default=False)],
    rpm: Annotated[
        int | None, typer.Option(min=1, help="Requests a minute. (default: by the settings)")
    ] = None,
    tpm: Annotated[
        int | None, typer.Option(min=1, help="Tokens a minute. (default: by the settings)")
    ] = None,
    calls: Annotated[
        int | None, typer.Option(min=1, help="Calls in flight, of all workers. (default: by the settings)")
    ] = None,
    latency: Annotated[float, typer.Option(min=0, help="Seconds of one call.")] = 2.0,
    chunks: Annotated[float, typer.Option(min=1, help="Chunks of a document; `estimate` tells.")] = 2.0,
    tokens: Annotated[
        float,
        typer.Option(min=1, help="Tokens of a call, as the endpoint's limit counts them; `estimate` tells."),
    ] = 5000.0,
    cores: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Cores of the one machine that everything runs on. (default: servers are elsewhere)",
        ),
    ] = None,
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

    settings = load_settings()
    found = make_plan(
        Wanted(
            documents=documents,
            chunks=chunks,
            latency=latency,
            rpm=rpm or settings.model_rpm,
            tpm=tpm or settings.model_tpm,
            tokens=tokens,
            calls=calls or settings.model_calls_cluster,
            interactive_share=settings.interactive_share,
            threads=settings.bulk_threads,
            calls_of_process=settings.model_calls,
            window=settings.documents_in_flight,
            cores=cores,
        )
    )
    if as_json:
        print_json(found.model_dump_json())
        return
    from producer.views.plan import print_plan

    print_plan(answers(), found)
