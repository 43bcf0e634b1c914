"""Estimates the duration under each configured limit; the longest counts."""

from __future__ import annotations

from hopline.models.estimates import Bound, Spending, Total
from producer.estimate.factors import CHUNKS_PER_SECOND, USED_OF_MINUTE
from workers.settings import Settings

_EMBEDDED_AT_A_TIME = 256  # texts of one embedding call, as workers.ingest.vectors has it
_MINUTES = 60


def hours_at_limits(
    total: Total, spent: Spending, settings: Settings, *, latency: float | None = None, via: str = "calls"
) -> tuple[Bound, ...]:
    """Return what each limit makes of these documents, in hours, at what the limiter uses of a minute.

    Args:
        total: the documents, counted.
        spent: their tokens.
        settings: the limits that are set.
        latency: seconds of a chat call, where the user knows it.
        via: calls, or batch: then the provider says when, within a day, and only embedding is limited here.
    """
    bounds = [] if via == "batch" else _chat(total, spent, settings, latency)
    bounds += _embedding(total, spent, settings)
    seconds = total.chunks / CHUNKS_PER_SECOND.value
    measured = f"measured: {CHUNKS_PER_SECOND.value} {CHUNKS_PER_SECOND.name}"
    hours = seconds / 3600
    return (*bounds, Bound(limit="one machine", value=None, low=hours, high=hours, told=measured))


def longest(bounds: tuple[Bound, ...]) -> Bound | None:
    """Return the limit that decides."""
    known = [bound for bound in bounds if bound.high is not None]
    return max(known, key=lambda bound: bound.high or 0.0, default=None)


def _chat(total: Total, spent: Spending, settings: Settings, latency: float | None) -> list[Bound]:
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
