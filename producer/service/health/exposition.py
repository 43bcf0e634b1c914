"""Exposes the metrics of all processes in Prometheus's format."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from itertools import accumulate, groupby

import redis
from prometheus_client import generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from hopline.models.about import Part
from infra.local.status import waiting_by_limiter
from workers.core.jobs.schedules import UNBEGUN
from workers.ledger.queries import ends_untold, running_by_kind
from workers.ledger.schedules import ScheduleBook
from workers.limits.breakers import Breakers
from workers.limits.model_queues import lines_now
from workers.limits.queue_ages import queue_states
from workers.limits.work_pauses import WorkPauses
from workers.telemetry.metrics import BUCKETS, METRICS, Number, read_counts
from workers.telemetry.metrics import Metric as Counted
from workers.telemetry.presence import workers_by_queue
from workers.telemetry.queues import SUBMISSIONS, messages_waiting

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_DAY = 86_400  # seconds
_BOUNDS = (*map(str, BUCKETS), "+Inf")


class _Shown(Collector):
    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def exposition(ledger: redis.Redis, broker: redis.Redis, parts: Iterable[Part] = ()) -> bytes:
    """Return all metrics as text.

    Args:
        ledger: the Redis of the ledger.
        broker: the Redis of Celery.
        parts: the probed status of servers and workers.
    """
    families = [*counted(read_counts(ledger)), *_standing(ledger, broker), *_running(parts)]
    return generate_latest(_Shown(families))


def _running(parts: Iterable[Part]) -> Iterator[Metric]:
    yield _gauge(
        "hopline_up",
        "Whether a server, the workers of a queue, or the beat process answer: 1 or 0.",
        "part",
        {part.name: int(part.state == "up") for part in parts},
    )
    yield _gauge(
        "hopline_build_info", "1; its label is the version of the API.", "version", {version("hopline"): 1}
    )


def counted(numbers: dict[Number, float]) -> Iterator[Metric]:
    """Yield the counters and histograms, each with its samples in order."""
    for metric in METRICS.values():
        own = {number: value for number, value in numbers.items() if number.name == metric.name}
        yield _histogram(metric, own) if metric.kind == "histogram" else _counter(metric, own)


def _counter(metric: Counted, numbers: dict[Number, float]) -> Metric:
    family = CounterMetricFamily(metric.name, metric.help, labels=metric.labels)
    for number, value in sorted(numbers.items(), key=lambda pair: pair[0].values):
        family.add_metric(number.values, value)
    return family


def _histogram(metric: Counted, numbers: dict[Number, float]) -> Metric:
    family = HistogramMetricFamily(metric.name, metric.help, labels=metric.labels)
    for values, group in groupby(
        sorted(numbers, key=lambda number: number.values), lambda number: number.values
    ):
        parts = {number.part: numbers[number] for number in group}
        counts = accumulate(parts.get(str(bucket), 0.0) for bucket in range(len(_BOUNDS)))
        family.add_metric(values, list(zip(_BOUNDS, counts, strict=True)), parts.get("sum", 0.0))
    return family


def _standing(ledger: redis.Redis, broker: redis.Redis) -> Iterator[Metric]:
    states, held = queue_states(broker)
    yield _gauge("hopline_jobs_running", "Jobs that run now.", "kind", running_by_kind(ledger))
    yield GaugeMetricFamily(
        "hopline_ends_untold",
        "Jobs that ended over ten minutes ago and have not yet told their webhook, history or batch.",
        value=ends_untold(ledger),
    )
    yield _gauge(
        "hopline_queue_messages",
        "Messages that no worker has taken.",
        "queue",
        {queue: state.depth for queue, state in states.items()}
        | {SUBMISSIONS: messages_waiting(broker, SUBMISSIONS)},
    )
    oldest = {queue: state.oldest_seconds for queue, state in states.items()}
    yield _gauge(
        "hopline_queue_oldest_seconds",
        "How long the oldest message has waited; none where nothing waits.",
        "queue",
        {queue: seconds for queue, seconds in oldest.items() if seconds is not None},
    )
    yield GaugeMetricFamily(
        "hopline_messages_held", "Messages that workers hold until their items are done.", value=held
    )
    lines, opened = lines_now(ledger), Breakers(ledger).all()
    yield _gauge(
        "hopline_breaker_open", "Servers that bulk work waits for.", "dependency", dict.fromkeys(opened, 1)
    )
    yield _paused(ledger)
    yield from _schedules(ledger)
    yield _gauge(
        "hopline_calls_waiting",
        "Model calls that wait for a limit, in their places or sent back.",
        "limiter",
        waiting_by_limiter(lines),
    )
    yield _gauge(
        "hopline_calls_in_flight",
        "Model calls in flight where limits are kept.",
        "class",
        {
            "bulk": sum(line.bulk for line in lines),
            "interactive": sum(line.interactive for line in lines),
        },
    )
    yield _gauge("hopline_workers", "Workers that take from a queue.", "queue", workers_by_queue(ledger))


def _schedules(ledger: redis.Redis) -> Iterator[Metric]:
    schedules, now = ScheduleBook(ledger).all_due_runs().values(), time.time()
    yield _gauge(
        "hopline_schedule_runs_not_begun",
        "Runs of schedules that were recorded as missed or skipped in the last day.",
        "outcome",
        {str(outcome): sum(runs.count(outcome, now - _DAY) for runs in schedules) for outcome in UNBEGUN},
    )
    waits = [now - runs.due for runs in schedules if runs.due is not None and not runs.buffered]
    yield GaugeMetricFamily(
        "hopline_schedule_run_waits_seconds",
        "How long the oldest due run of a schedule has waited for a worker; 0 where none waits.",
        value=max([0.0, *waits]),
    )


def _paused(ledger: redis.Redis) -> Metric:
    family = GaugeMetricFamily("hopline_paused", "Work that is paused across jobs.", labels=["kind", "name"])
    for pause in WorkPauses(ledger).all():
        family.add_metric([pause.kind, pause.name], 1)
    return family


def _gauge(name: str, text: str, label: str, values: dict[str, int] | dict[str, float]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=[label])
    for value, number in sorted(values.items()):
        family.add_metric([value], number)
    return family
