"""Estimates cost, time and size of an ingestion before any model call."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence

import psutil

from hopline.machine import is_loopback
from hopline.models.base import Frozen
from hopline.models.estimates import (
    DIMENSION,
    Afterwards,
    Bound,
    Estimate,
    Prices,
    Range,
    Spending,
    Total,
    Via,
)
from hopline.models.params import ChunkSizes
from producer.estimate.factors import (
    CHUNKS_PER_SECOND,
    ELEMENT_TOKENS,
    ELEMENTS,
    FACTS_HIGH,
    FACTS_LOW,
    NODE_BYTES,
    NUMBER_BYTES,
    REPLY_HIGH,
    REPLY_LOW,
    SEARCH_SLOPE,
    SEARCHES,
    USED,
    USED_OF_MINUTE,
    VECTOR_DISK,
    VECTOR_MEMORY,
)
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
_MILLION = 1_000_000
_SLOW_MS = 250.0  # of the vectors' part of a search: what a reader begins to notice
_GIGABYTE = 1e9


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
        dimension: dimension of the embedder's vectors.
        sizes: sizes of chunks, where they are to differ from the settings'.
        listed: the listed documents, if not listed as for `ingest`.
        progress: called with (documents read, documents to be read).
        blobs: store of uploaded documents.
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


def spending(total: Total, prices: Prices, *, reply_cap: int, discount: float = 1.0) -> Spending:
    """Return the usage of the calls for these documents.

    Args:
        total: the documents, counted.
        prices: prices of the models.
        reply_cap: tokens that a reply has at most.
        discount: discount on chat calls: 0.5 where the provider's batch mode halves the price.
    """
    most = total.calls * reply_cap
    replies = Range(
        low=min(most, total.tokens * REPLY_LOW.value), high=min(most, total.tokens * REPLY_HIGH.value)
    )
    embedded = total.tokens * (1 + ELEMENTS.value * ELEMENT_TOKENS.value)
    chat = _chat(total.prompt_tokens, replies, prices, discount)
    embedding = None if prices.embedding is None else embedded * prices.embedding / _MILLION
    whole = None
    if chat is not None and embedding is not None:
        whole = Range(low=chat.low + embedding, high=chat.high + embedding)
    return Spending(
        prompt_tokens=total.prompt_tokens,
        reply_tokens=replies,
        embedding_tokens=embedded,
        chat=chat,
        embedding=embedding,
        total=whole,
        unknown=tuple(_unknown(prices)),
    )


def _chat(prompt: float, replies: Range, prices: Prices, discount: float) -> Range | None:
    if prices.prompt is None or prices.reply is None:
        return None
    prompt_cost = prompt * prices.prompt
    return Range(
        low=discount * (prompt_cost + replies.low * prices.reply) / _MILLION,
        high=discount * (prompt_cost + replies.high * prices.reply) / _MILLION,
    )


def _unknown(prices: Prices) -> list[str]:
    reasons = []
    if prices.prompt is None or prices.reply is None:
        reasons.append(f"no price is set for the model {prices.model!r}")
    if prices.embedding is None:
        reasons.append(f"no price is set for the embedder {prices.embedder!r}")
    return reasons


class Machine(Frozen):
    """The machine's capacity, which warnings are held against."""

    memory: int  # bytes
    disk_free: int  # bytes, where the local stack keeps its data
    local_vectors: bool  # the vector store is on this machine, and so may be the local endpoint


def afterwards(total: Total, *, dimension: int, embed_facts: bool, machine: Machine) -> Afterwards:
    """Estimate what the documents add to the graph and the vectors.

    Args:
        total: the documents, counted.
        dimension: length of the embedder's vectors.
        embed_facts: whether facts have vectors, too.
        machine: for the warnings.
    """
    elements = total.tokens * ELEMENTS.value
    facts = Range(low=total.tokens * FACTS_LOW.value, high=total.tokens * FACTS_HIGH.value)
    whole = total.documents - total.unreadable + total.chunks + elements
    nodes = Range(low=whole + facts.low, high=whole + facts.high)
    bare = total.chunks + elements
    vectors = Range(
        low=bare + (facts.low if embed_facts else 0), high=bare + (facts.high if embed_facts else 0)
    )
    longer = NUMBER_BYTES * (dimension - DIMENSION)
    memory = _times(vectors, VECTOR_MEMORY.value + longer)
    forecast = Afterwards(
        nodes=nodes,
        vectors=vectors,
        graph_bytes=_times(nodes, NODE_BYTES.value),
        vector_bytes=_times(vectors, VECTOR_DISK.value + longer),
        vector_memory=memory,
        search_ms=_search_ms(vectors.high),
        search_measured=vectors.high <= SEARCHES[-1][1],
    )
    return forecast.model_copy(update={"warnings": tuple(_warnings(forecast, machine))})


def _times(span: Range, factor: float) -> Range:
    return Range(low=span.low * factor, high=span.high * factor)


def _search_ms(vectors: float) -> float:
    """Return the median of a search: the slowest that was measured, and more for more vectors than that."""
    _facts, most, _part, _whole = SEARCHES[-1]
    slowest = max(whole for *_rest, whole in SEARCHES)
    return slowest + max(0.0, vectors - most) * SEARCH_SLOPE.value


def _warnings(forecast: Afterwards, machine: Machine) -> list[str]:
    warnings = []
    vectors = forecast.vectors.high
    part = SEARCHES[0][2] + max(0.0, vectors - SEARCHES[0][1]) * SEARCH_SLOPE.value
    if machine.local_vectors and part > _SLOW_MS:
        warnings.append(
            f"the local vector endpoint compares a question with every vector: about {part:,.0f} ms a search "
            "with that many; set HOPLINE_QDRANT_URL to a Qdrant server, which has an index"
        )
    if machine.local_vectors and forecast.vector_memory.high > machine.memory / 2:
        warnings.append(
            f"the local vector endpoint would take {_gb(forecast.vector_memory.high)} of this machine's "
            f"{_gb(machine.memory)} of memory: set HOPLINE_QDRANT_URL to a Qdrant server"
        )
    if forecast.graph_bytes.high + forecast.vector_memory.high > machine.memory:
        warnings.append(
            f"one machine like this one is not enough: graph ({_gb(forecast.graph_bytes.high)}) and vectors "
            f"({_gb(forecast.vector_memory.high)}) do not fit into {_gb(machine.memory)} of memory together; "
            "give Neo4j a machine of its own (docs/operations.md)"
        )
    disk = forecast.graph_bytes.high + forecast.vector_bytes.high
    if disk > machine.disk_free:
        warnings.append(
            f"the disk is too small: {_gb(disk)} of graph and vectors, {_gb(machine.disk_free)} free here"
        )
    return warnings


def _gb(size: float) -> str:
    return f"{size / _GIGABYTE:,.1f} GB"


_EMBEDDED_AT_A_TIME = 256  # texts of one embedding call, as workers.ingest.vectors has it
_MINUTES = 60


def hours_at_limits(
    total: Total, spent: Spending, settings: Settings, *, latency: float | None = None, via: str = "calls"
) -> tuple[Bound, ...]:
    """Return the hours that each limit takes for these documents, at the limiter's share of a minute.

    Args:
        total: the documents, counted.
        spent: their tokens.
        settings: the limits that are set.
        latency: seconds of a chat call, where the user knows it.
        via: calls, or batch: then the provider says when, within a day, and only embedding is limited here.
    """
    bounds = [] if via == "batch" else _chat_bounds(total, spent, settings, latency)
    bounds += _embedding(total, spent, settings)
    seconds = total.chunks / CHUNKS_PER_SECOND.value
    measured = f"measured: {CHUNKS_PER_SECOND.value} {CHUNKS_PER_SECOND.name}"
    hours = seconds / 3600
    return (*bounds, Bound(limit="one machine", value=None, low=hours, high=hours, told=measured))


def longest(bounds: tuple[Bound, ...]) -> Bound | None:
    """Return the limit that decides."""
    known = [bound for bound in bounds if bound.high is not None]
    return max(known, key=lambda bound: bound.high or 0.0, default=None)


def _chat_bounds(total: Total, spent: Spending, settings: Settings, latency: float | None) -> list[Bound]:
    reserved = settings.tokens_counted == "reserved"
    low = total.reserved_tokens if reserved else spent.prompt_tokens + spent.reply_tokens.low
    high = total.reserved_tokens if reserved else spent.prompt_tokens + spent.reply_tokens.high
    counted = "counted on arrival: prompt and the longest reply" if reserved else "counted as used"
    return [
        _per_minute("model_rpm", settings.model_rpm, total.calls, total.calls),
        _per_minute("model_tpm", settings.model_tpm, low, high, counted),
        _in_flight(total, settings, latency),
    ]


def _in_flight(total: Total, settings: Settings, latency: float | None) -> Bound:
    name, calls = "model_calls_cluster", settings.model_calls_cluster
    if calls is None:
        return Bound(limit=name, value=None, told="not set")
    allowed = max(1, int(calls * (1 - settings.interactive_share)))
    if latency is None:
        return Bound(limit=name, value=calls, told="unknown: --latency tells how long a call takes")
    hours = total.calls * latency / allowed / 3600
    return Bound(limit=name, value=calls, low=hours, high=hours, told=f"{allowed} of them are for documents")


def _embedding(total: Total, spent: Spending, settings: Settings) -> list[Bound]:
    # A document embeds its own texts: one call at least.
    calls = max(total.documents, total.chunks / _EMBEDDED_AT_A_TIME)
    tokens = spent.embedding_tokens
    return [
        _per_minute("embedding_rpm", settings.embedding_rpm, calls, calls),
        _per_minute("embedding_tpm", settings.embedding_tpm, tokens, tokens),
    ]


def _per_minute(name: str, value: int | None, low: float, high: float, note: str = "") -> Bound:
    if value is None:
        return Bound(limit=name, value=None, told="not set")
    an_hour = value * USED_OF_MINUTE * _MINUTES
    return Bound(limit=name, value=value, low=low / an_hour, high=high / an_hour, told=note)
