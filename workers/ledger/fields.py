"""The fields of a new job's hash, as flat lists of names and values."""

from __future__ import annotations

from workers.core.jobs.manifest import Manifest
from workers.core.jobs.work import Budget, Phase
from workers.ledger.records import Config
from workers.ledger.wire import milliseconds


def time_fields(config: Config, timeout: float | None) -> list[str | int]:
    """Return a job's times and limits; timeout: seconds until its deadline."""
    fields: list[str | int] = [
        "lease_ms", milliseconds(config.lease_seconds),
        "resend_ms", milliseconds(config.resend_seconds),
        "backoff_ms", milliseconds(config.backoff_seconds),
        "longest_hold_ms", milliseconds(config.longest_hold_seconds),
        "grace_ms", milliseconds(config.grace_seconds),
        "keep_ms", milliseconds(config.keep_seconds),
        "max_attempts", config.max_attempts,
    ]  # fmt: skip
    return fields if timeout is None else [*fields, "timeout_ms", milliseconds(timeout)]


def limit_fields(budget: Budget) -> list[str | int]:
    """Return the limits that a budget sets."""
    return [part for name, limit in limits(budget).items() for part in (f"limit_{name}", limit)]


def limits(budget: Budget) -> dict[str, int]:
    """Return what a budget limits, the cost in millionths."""
    cost = None if budget.cost is None else round(budget.cost * 1_000_000)
    named = {"calls": budget.model_calls, "tokens": budget.tokens, "cost": cost}
    return {name: limit for name, limit in named.items() if limit is not None}


def growth_fields(phase: Phase, manifest: Manifest | None) -> list[str | int]:
    """Return how far the first phase may grow."""
    fields: list[str | int] = [part for step, cap in phase.caps.items() for part in (f"cap:0:{step}", cap)]
    if manifest:
        fields += ["manifest", manifest.reference, "size", manifest.size]
        fields += ["cursor", len(phase.items), "window", phase.window]
    return fields
