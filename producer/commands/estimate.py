"""hopline estimate."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from producer.commands.session import AsJson, Quiet, quiet_logs
from producer.console import answers, notices, print_json


class Way(StrEnum):
    """How chunks go to the model."""

    CALLS = "calls"
    BATCH = "batch"


def estimate(
    sources: Annotated[
        list[str],
        typer.Argument(help="Files, folders, patterns or addresses, as for ingest.", show_default=False),
    ],
    sample: Annotated[
        int,
        typer.Option(min=0, help="Documents to read; more are extrapolated from these. 0 reads all."),
    ] = 2000,
    via: Annotated[
        Way, typer.Option(help="batch: the provider's batch mode, cheaper and within a day.")
    ] = Way.CALLS,
    latency: Annotated[
        float | None,
        typer.Option(min=0.001, help="Seconds of one chat call, where you know it.", show_default=False),
    ] = None,
    dimension: Annotated[int, typer.Option(min=1, help="Length of the embedder's vectors.")] = 256,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Say what documents will cost, before any call: calls, tokens, money, hours, and what is there then.

    Splits and counts as ingestion will, without a model and without a server. Prices come from the settings
    (HOPLINE_PRICES, HOPLINE_PRICE_FAST_IN, …); without them the cost is unknown, and the tokens are told.
    Hours are those that the limits that are set (HOPLINE_MODEL_RPM, HOPLINE_MODEL_TPM, …) allow.

    [bold]Examples[/bold]

      hopline estimate reports/

      hopline estimate big.jsonl --sample 0 --json | jq .spending

      HOPLINE_MODEL_RPM=500 hopline estimate s3://bucket/reports --latency 2
    """
    from producer.estimate.estimate import estimate_sources
    from workers.settings import load_settings

    settings = load_settings()
    quiet_logs(settings)
    with notices().status("") as shown:
        found = estimate_sources(
            sources,
            settings,
            sample=sample,
            via=via.value,
            latency=latency,
            dimension=dimension,
            told=lambda read, of: None if quiet or as_json else shown.update(f"Read {read:,} of {of:,}"),
        )
    if as_json:
        print_json(found.model_dump_json())
        return
    from producer.views.estimate import print_estimate

    print_estimate(answers(), found)
