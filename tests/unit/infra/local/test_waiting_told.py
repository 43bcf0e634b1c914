"""How open breakers and busy models are told to people."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
import redis

from infra.local import status
from infra.local.probes import check_takes
from infra.local.status import describe_breaker, describe_line, waiting_by_limiter
from workers.core.models.permits import Line
from workers.limits.breakers import Breaker
from workers.limits.model_queues import LineState

LINE = Line(endpoint="http://model/v1", model="fast", kind="model")


def test_an_open_breaker_says_since_when_why_and_when_it_is_tried(monkeypatch: pytest.MonkeyPatch):
    now = time.time()
    monkeypatch.setattr(status, "time", SimpleNamespace(time=lambda: now))
    text = describe_breaker(Breaker(name="neo4j", why="nobody answers", since=now - 40.2, probe=now + 8.2))
    assert text == "away for 40 s, bulk work waits; tried again in 8 s: nobody answers"


def test_a_busy_model_says_what_is_in_flight_and_who_waits_for_what():
    state = LineState(
        line=LINE,
        pause=12.0,
        allowed=14.7,
        bulk=9,
        interactive=2,
        requests=580,
        tokens=41_000,
        waiting={"tokens bulk": 40, "tokens interactive": 2, "calls bulk": 1},
    )
    assert describe_line(state) == (
        "9 bulk and 2 interactive calls in flight; 580 requests and 41000 tokens in the last minute; "
        "its endpoint asks to be left alone for 12 s; at most 14 at a time since it refused some; "
        "1 wait for calls; 42 wait for tokens"
    )


def test_who_waits_is_added_up_over_models():
    states = [
        LineState(line=LINE, waiting={"tokens bulk": 3}),
        LineState(line=LINE, waiting={"tokens bulk": 4}),
    ]
    assert waiting_by_limiter(states) == {"tokens": 7}


def test_a_redis_that_takes_nothing_in_is_down():
    check_takes({"maxmemory": 0, "used_memory": 10, "aof_last_write_status": "ok"})
    with pytest.raises(redis.OutOfMemoryError, match="memory is full"):
        check_takes({"maxmemory": 10, "used_memory": 10, "used_memory_human": "10B"})
    with pytest.raises(redis.ResponseError, match="append-only"):
        check_takes({"maxmemory": 0, "aof_last_write_status": "err"})
