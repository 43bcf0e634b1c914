"""Adds this process's counts to a shared hash in Redis about once a second.

A process that is killed takes the second since its last flush with it: these numbers are for looking at and
for alarms. What must be exact, a job's usage and its dead letters, is in the ledger.
"""

from __future__ import annotations

import json
import threading
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from typing import Literal, cast

import redis

from hopline.models.base import Frozen

KEY = "hop:counts"  # hash: JSON list of a metric's name, its labels' values, and a histogram's part → number
# Seconds; the last bucket holds what took longer.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)


class Metric(Frozen):
    """A number that is counted, by labels of few values: names of code and settings, never of users."""

    name: str
    help: str
    labels: tuple[str, ...]
    kind: Literal["counter", "histogram"] = "counter"


METRICS = {
    metric.name: metric
    for metric in (
        Metric(name="hopline_jobs_submitted", help="Jobs that were created.", labels=("kind",)),
        Metric(name="hopline_jobs_ended", help="Jobs that ended.", labels=("kind", "state")),
        Metric(
            name="hopline_traces_lost",
            help="Ended jobs whose trace could not be sent.",
            labels=(),
        ),
        Metric(
            name="hopline_history_lost",
            help="Ended jobs missing from the history, which could not be written for too long.",
            labels=(),
        ),
        Metric(
            name="hopline_items",
            help="Attempts at items: done; late (another worker was first); failed (tried again); dead "
            "(given up); deferred (a server is away); delegated (to a job of its own).",
            labels=("step", "outcome"),
        ),
        Metric(
            name="hopline_item_seconds",
            help="Time of a step for one item, done or failed.",
            labels=("step",),
            kind="histogram",
        ),
        Metric(
            name="hopline_errors",
            help="Errors of steps, by what a worker does with them and by name.",
            labels=("class", "error"),
        ),
        Metric(
            name="hopline_leases_lost",
            help="Items taken over from a worker that died or lost its connection.",
            labels=("step",),
        ),
        Metric(name="hopline_dead_letters", help="Items that were given up.", labels=("step",)),
        Metric(name="hopline_items_resent", help="Messages that the watchdog sent again.", labels=()),
        Metric(
            name="hopline_model_calls",
            help="Model calls with a reply.",
            labels=("tier", "model"),
        ),
        Metric(
            name="hopline_model_failures",
            help="Model calls without a reply.",
            labels=("tier", "model", "error"),
        ),
        Metric(
            name="hopline_model_seconds",
            help="Time of a model call with a reply.",
            labels=("tier", "model"),
            kind="histogram",
        ),
        Metric(
            name="hopline_model_tokens",
            help="Tokens of model calls with a reply.",
            labels=("tier", "model", "direction"),
        ),
        Metric(
            name="hopline_model_cost",
            help="Cost of model calls with a reply, in the currency of the prices set.",
            labels=("tier", "model"),
        ),
        Metric(
            name="hopline_turn_seconds",
            help="Time that limits made model calls wait, or sent their items back for.",
            labels=("limiter", "class"),
        ),
        Metric(
            name="hopline_answer_sentences",
            help="Sentences of answers: kept; dropped (not supported by the evidence).",
            labels=("outcome",),
        ),
        Metric(
            name="hopline_answer_facts",
            help="Facts for answers: evidence (given to the writer); below_threshold; uncitable (their "
            "source is gone); left_out (no room); shortened (left out, but covered by a summary).",
            labels=("outcome",),
        ),
        Metric(
            name="hopline_webhooks",
            help="Webhook calls: sent; failed (tried again); refused (given up).",
            labels=("outcome",),
        ),
        Metric(
            name="hopline_api_requests",
            help="Requests by route pattern and status.",
            labels=("method", "route", "status"),
        ),
        Metric(
            name="hopline_api_seconds",
            help="Time until a response began, including `wait`.",
            labels=("method", "route"),
            kind="histogram",
        ),
    )
}


@dataclass(frozen=True)
class Number:
    """One number of a metric; part is a histogram's: sum, or the index of a bucket."""

    name: str
    values: tuple[str, ...]
    part: str = ""

    def field(self) -> str:
        """Return the count's field name in the hash."""
        return json.dumps([self.name, *self.values, self.part], ensure_ascii=False)


class Counts:
    """Counts that are not flushed yet. Thread-safe."""

    def __init__(self) -> None:
        self._numbers: dict[Number, float] = defaultdict(float)
        self._lock = threading.Lock()

    def count(self, name: str, *values: str, by: float = 1) -> None:
        """Add to a counter; its labels' values in the order of `METRICS`."""
        with self._lock:
            self._numbers[Number(name, values)] += by

    def observe(self, name: str, *values: str, seconds: float) -> None:
        """Add one duration to a histogram."""
        bucket = str(bisect_left(BUCKETS, seconds))
        with self._lock:
            self._numbers[Number(name, values, bucket)] += 1
            self._numbers[Number(name, values, "sum")] += seconds

    def flush(self, client: redis.Redis) -> None:
        """Add the counts to the hash, all or (if Redis is away) nothing."""
        with self._lock:
            taken, self._numbers = self._numbers, defaultdict(float)
        if not taken:
            return
        pipeline = client.pipeline(transaction=True)
        for number, by in taken.items():
            pipeline.hincrbyfloat(KEY, number.field(), by)
        try:
            pipeline.execute()
        except redis.RedisError:
            self._put_back(taken)
            raise

    def _put_back(self, taken: dict[Number, float]) -> None:
        with self._lock:
            for number, by in taken.items():
                self._numbers[number] += by


COUNTS = Counts()  # this process's


def read_counts(client: redis.Redis) -> dict[Number, float]:
    """Return the counts of all processes, without metrics unknown to this version."""
    stored = cast("dict[str, str]", client.hgetall(KEY))
    counts = ((_number(field), value) for field, value in stored.items())
    return {number: float(value) for number, value in counts if number is not None}


def _number(field: str) -> Number | None:
    try:
        name, *values, part = json.loads(field)
    except ValueError:
        return None
    metric = METRICS.get(name)
    if metric is None or len(values) != len(metric.labels):
        return None
    return Number(name, tuple(values), part)
