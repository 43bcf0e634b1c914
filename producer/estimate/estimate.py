"""Estimates cost, time and size of an ingestion before any model call."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence

import psutil

from hopline.machine import is_loopback
from hopline.models.estimates import DIMENSION, Estimate, Prices, Total, Via
from hopline.models.params import ChunkSizes
from producer.estimate.afterwards import Machine, afterwards
from producer.estimate.factors import USED
from producer.estimate.hours import hours_at_limits, longest
from producer.estimate.money import spending
from producer.estimate.sample import count_listed
from workers.adapters.openai.prices import priced_embedder, priced_tiers
from workers.core.jobs.params import UNSIZED
from workers.core.models.prices import read_prices
from workers.core.ports import Blobs
from workers.ingest.chunking.sizes import sized
from workers.ingest.requests import reply_tokens
from workers.settings import Settings
from workers.sources.documents import list_sources
from workers.sources.formats import Named

SAMPLE = 2_000  # documents of plain text that are read, unless the user says otherwise


def estimate_sources(  # noqa: PLR0913 - one option, one argument
    sources: Sequence[str],
    settings: Settings,
    *,
    sample: int = SAMPLE,
    via: Via = "calls",
    latency: float | None = None,
    dimension: int = DIMENSION,
    sizes: ChunkSizes = UNSIZED,
    listed: Iterable[Named] | None = None,
    progress: Callable[[int, int], None] = lambda *_: None,
    blobs: Blobs | None = None,
) -> Estimate:
    """Split the sources' documents, count tokens, and compute, without a server or a model.

    Args:
        sources: files, folders, patterns and addresses, as for `ingest`.
        settings: limits, prices, how documents are split.
        sample: plain documents to be read at most, a tenth of it of other formats; 0 reads all.
        via: whether chunks go by calls, or by the provider's batch mode.
        latency: seconds of a chat call, where the user knows it.
        dimension: of the embedder's vectors.
        sizes: of chunks, where they are to differ from the settings'.
        listed: what the sources name, where it is listed otherwise than for `ingest`.
        progress: called with (documents read, documents to be read).
        blobs: where uploaded documents lie.
    """
    named = list_sources(sources) if listed is None else listed
    limits = sized(settings.limits, sizes)
    reply_cap = reply_tokens(limits.chunk_tokens)
    total = count_listed(named, limits, most=sample, progress=progress, blobs=blobs)
    prices = prices_of(settings)
    discount = settings.provider_batch_price if via == "batch" else 1.0
    spent = spending(total, prices, reply_cap=reply_cap, discount=discount)
    bounds = hours_at_limits(total, spent, settings, latency=latency, via=via)
    forecast = afterwards(
        total, dimension=dimension, embed_facts=settings.limits.embed_facts, machine=this_machine(settings)
    )
    return Estimate(
        sources=tuple(sources),
        total=total,
        spending=spent,
        prices=prices,
        reply_cap=reply_cap,
        bounds=bounds,
        decides=longest(bounds),
        afterwards=forecast,
        via=via,
        notes=tuple(_notes(total, via)),
        factors=USED,
    )


def prices_of(settings: Settings) -> Prices:
    """Return the prices of the fast model and the embedder: those that are set, else those of the file.

    Raises:
        InvalidInput: the file of prices cannot be read.
    """
    chat, embedder = priced_tiers(settings)["fast"], priced_embedder(settings)
    return Prices(
        model=chat.name,
        prompt=chat.price_in,
        reply=chat.price_out,
        embedder=embedder.name,
        embedding=embedder.price_in,
        currency=read_prices(settings.prices).currency,
    )


def this_machine(settings: Settings) -> Machine:
    """Return what this machine has, and whether the vector store is on it."""
    place = next(path for path in (settings.var, *settings.var.absolute().parents) if path.exists())
    return Machine(
        memory=psutil.virtual_memory().total,
        disk_free=shutil.disk_usage(place).free,
        local_vectors=is_loopback(settings.qdrant_url),
    )


def _notes(total: Total, via: Via) -> list[str]:
    notes = ["counted as if nothing were there yet: what was ingested or asked before costs nothing again"]
    if total.read < total.documents:
        notes.append(
            f"{total.read:,} of {total.documents:,} documents were read, evenly chosen; the rest "
            "by their size (--sample 0 reads all)"
        )
    if via == "batch":
        notes.append("in the provider's batch mode the provider says when: within a day, as a rule")
    return notes
