"""Collects the data that `hopline status` shows."""

from __future__ import annotations

import time
from collections import Counter

import redis

from infra.local.probes import PartStatus, probe_all
from workers.adapters.redis.client import probing_client
from workers.limits.breakers import Breaker, Breakers
from workers.limits.model_queues import LineState, lines_now
from workers.settings import Settings, load_settings

_SECONDS = 3.0  # for Redis to answer


def waiting_parts(settings: Settings) -> list[PartStatus]:
    """Return open breakers, as parts that are down, and busy models; nothing if Redis is away."""
    url = settings.redis_url.get_secret_value()
    with probing_client(url, _SECONDS) as client:
        try:
            opened, lines = Breakers(client).all().values(), lines_now(client)
        except redis.RedisError:
            return []
    parts = [
        PartStatus(name=f"breaker {breaker.name}", state="down", detail=describe_breaker(breaker))
        for breaker in opened
    ]
    for state in lines:
        if state.busy:
            part = f"calls of {state.line.model}"
            parts.append(
                PartStatus(name=part, state="up", address=state.line.endpoint, detail=describe_line(state))
            )
    return parts


def describe_breaker(breaker: Breaker) -> str:
    """Return in words since when a server has been away, why, and when it is tried again."""
    now = time.time()
    return (
        f"away for {max(0.0, now - breaker.since):.0f} s, bulk work waits; "
        f"tried again in {max(0.0, breaker.probe - now):.0f} s: {breaker.why}"
    )


def describe_line(state: LineState) -> str:
    """Return in words which calls are in flight at a model, and which wait for a limit."""
    phrases = [f"{state.bulk} bulk and {state.interactive} interactive calls in flight"]
    phrases.append(f"{state.requests} requests and {state.tokens} tokens in the last minute")
    if state.pause:
        phrases.append(f"its endpoint asks to be left alone for {state.pause:.0f} s")
    if state.allowed:
        phrases.append(f"at most {int(state.allowed)} at a time since it refused some")
    phrases += [
        f"{count} wait for {limiter}" for limiter, count in sorted(waiting_by_limiter([state]).items())
    ]
    return "; ".join(phrases)


def waiting_by_limiter(states: list[LineState]) -> dict[str, int]:
    """Return the number of waiting calls for each limiter, including those sent back."""
    counts: Counter[str] = Counter()
    for state in states:
        for name, count in state.waiting.items():
            counts[name.partition(" ")[0]] += count
    return dict(counts)


def status() -> list[PartStatus]:
    """Return the current status of each server, queue and view, and what work is waiting for."""
    settings = load_settings()
    return [*probe_all(settings), *waiting_parts(settings)]
