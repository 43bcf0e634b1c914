"""hopline estimate."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from hopline.commands.client import connected
from hopline.commands.console import answers, print_json, working
from hopline.commands.intake import ChunkOverlap, ChunkTokens, Code, Encoding, given, sent_places
from hopline.commands.options import AsJson, Quiet

Sources = Annotated[
    list[str],
    typer.Argument(help="Files, folders, patterns or addresses, as for ingest.", show_default=False),
]
Sample = Annotated[int, typer.Option(min=0, help="How many documents to read as a sample; 0 reads all.")]
Via = Annotated[
    Literal["calls", "batch"],
    typer.Option(help="batch: the provider's batch mode, cheaper and within a day."),
]
Latency = Annotated[
    float | None,
    typer.Option(min=0.001, help="Seconds that one chat call takes, if you know it.", show_default=False),
]
Dimension = Annotated[int, typer.Option(min=1, help="Length of the embedder's vectors.")]


def estimate(
    sources: Sources,
    sample: Sample = 2000,
    via: Via = "calls",
    latency: Latency = None,
    dimension: Dimension = 256,
    as_json: AsJson = False,
    chunk_tokens: ChunkTokens = None,
    chunk_overlap: ChunkOverlap = None,
    encoding: Encoding = None,
    code: Code = False,
    quiet: Quiet = False,
) -> None:
    """Estimate what documents will cost, before any call: calls, tokens, money, hours, and resulting size.

    Splits and counts documents as ingestion would. Calls no model, and needs no server; if HOPLINE_API_URL
    is set, the API does the counting.
    Prices come from the settings (HOPLINE_PRICES, HOPLINE_PRICE_FAST_IN, …); without them only tokens
    are shown. Hours follow from the limits that are set (HOPLINE_MODEL_RPM, HOPLINE_MODEL_TPM, …).

    [bold]Examples[/bold]

      hopline estimate reports/

      hopline estimate big.jsonl --sample 0 --json | jq .spending

      HOPLINE_MODEL_RPM=500 hopline estimate s3://bucket/reports --latency 2
    """
    with connected(own_settings=True) as client, working("Listing", quiet=quiet or as_json) as tell:
        places = sent_places(client, sources, tell, code=code)
        result = client.estimates.make(
            places,
            sample=sample,
            via=via,
            latency=latency,
            dimension=dimension,
            encoding=encoding or "",
            code=code,
            **given(chunk_tokens=chunk_tokens, chunk_overlap=chunk_overlap),
        )
    if as_json:
        print_json(result.model_dump_json())
        return
    from hopline.views.estimate import print_estimate

    print_estimate(answers(), result)
