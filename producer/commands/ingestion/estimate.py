"""hopline estimate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated

import typer

from hopline.commands.console import answers, notices, print_json
from hopline.commands.options import AsJson, Quiet
from producer.commands.client import quiet_logs
from producer.commands.ingestion.options import ChunkOverlap, ChunkTokens


class Way(StrEnum):
    """How chunks go to the model."""

    CALLS = "calls"
    BATCH = "batch"


Sources = Annotated[
    list[str],
    typer.Argument(help="Files, folders, patterns or addresses, as for ingest.", show_default=False),
]
Sample = Annotated[int, typer.Option(min=0, help="Documents to read as a sample of all; 0 reads every one.")]
Via = Annotated[Way, typer.Option(help="batch: the provider's batch mode, cheaper and within a day.")]
Latency = Annotated[
    float | None,
    typer.Option(min=0.001, help="Seconds of one chat call, where you know it.", show_default=False),
]
Dimension = Annotated[int, typer.Option(min=1, help="Length of the embedder's vectors.")]


def estimate(
    sources: Sources,
    sample: Sample = 2000,
    via: Via = Way.CALLS,
    latency: Latency = None,
    dimension: Dimension = 256,
    chunk_tokens: ChunkTokens = None,
    chunk_overlap: ChunkOverlap = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Estimate what documents will cost, before any call: calls, tokens, money, hours, and resulting size.

    Splits and counts as ingestion will, without a model and without a server. Prices come from the settings
    (HOPLINE_PRICES, HOPLINE_PRICE_FAST_IN, …); without them the cost is unknown, and the tokens are told.
    Hours are those that the limits that are set (HOPLINE_MODEL_RPM, HOPLINE_MODEL_TPM, …) allow.

    [bold]Examples[/bold]

      hopline estimate reports/

      hopline estimate big.jsonl --sample 0 --json | jq .spending

      HOPLINE_MODEL_RPM=500 hopline estimate s3://bucket/reports --latency 2
    """
    from hopline.models.params import ChunkSizes
    from producer.estimate.estimate import estimate_sources
    from workers.core.jobs.params import parse_params
    from workers.settings import load_settings

    sizes = parse_params(ChunkSizes, {"chunk_tokens": chunk_tokens, "chunk_overlap": chunk_overlap})
    settings = load_settings()
    quiet_logs(settings)
    with _progress(quiet=quiet or as_json) as progress:
        result = estimate_sources(
            sources,
            settings,
            sample=sample,
            via=via.value,
            latency=latency,
            dimension=dimension,
            sizes=sizes,
            progress=progress,
        )
    if as_json:
        print_json(result.model_dump_json())
        return
    from producer.views.estimate import print_estimate

    print_estimate(answers(), result)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Show how many documents were read, on a terminal, unless --quiet is set."""
    if quiet:
        yield lambda _read, _of: None
        return
    with notices().status("Listing") as shown:
        yield lambda read, of: shown.update(f"Read {read:,} of {of:,}")
