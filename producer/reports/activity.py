"""Activity of the whole system: two readings of its metrics, and their differences."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from prometheus_client.parser import text_string_to_metric_families

from hopline.models.jobs import Json

Labels = tuple[tuple[str, str], ...]  # by name
_MINUTE = 60.0


@dataclass(frozen=True)
class Reading:
    """The metrics at one moment."""

    at: float  # monotonic seconds
    numbers: Mapping[tuple[str, Labels], float]  # sample and labels → value

    @classmethod
    def of(cls, text: str) -> Reading:
        """Return what Prometheus's text format says."""
        numbers = {
            (sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }
        return cls(time.monotonic(), numbers)

    def by(self, name: str, *labels: str) -> dict[tuple[str, ...], float]:
        """Return the values of a metric by some of its labels; those of the others are added up."""
        sums: dict[tuple[str, ...], float] = {}
        for (sample, known), value in self.numbers.items():
            if sample == name:
                key = tuple(dict(known).get(label, "") for label in labels)
                sums[key] = sums.get(key, 0.0) + value
        return sums

    def total(self, name: str) -> float:
        """Return the sum of a metric; 0 if there is none."""
        return self.by(name).get((), 0.0)


@dataclass(frozen=True)
class Activity:
    """Activity between two readings."""

    before: Reading
    now: Reading
    queues: Mapping[str, Json] = field(init=False)  # name → messages, oldest seconds (None), workers

    def __post_init__(self) -> None:
        messages = self.now.by("hopline_queue_messages", "queue")
        oldest = self.now.by("hopline_queue_oldest_seconds", "queue")
        workers = self.now.by("hopline_workers", "queue")
        queues = {
            name: {
                "messages": int(count),
                "oldest_seconds": oldest.get((name,)),
                "workers": int(workers.get((name,), 0)),
            }
            for (name,), count in messages.items()
        }
        object.__setattr__(self, "queues", queues)

    @property
    def seconds(self) -> float:
        """The time between the readings."""
        return max(1e-9, self.now.at - self.before.at)

    def per_second(self, name: str, *labels: str) -> dict[tuple[str, ...], float]:
        """Return the growth of counters per second, by labels; unchanged ones are left out."""
        before = self.before.by(name, *labels)
        grown = {key: value - before.get(key, 0.0) for key, value in self.now.by(name, *labels).items()}
        return {key: value / self.seconds for key, value in grown.items() if value > 0}

    def mean_seconds(self, name: str, label: str) -> dict[str, float]:
        """Return the mean of a histogram's new values, by a label."""
        counts = self.per_second(f"{name}_count", label)
        sums = self.per_second(f"{name}_sum", label)
        return {key: sums.get((key,), 0.0) / count for (key,), count in counts.items()}

    def steps(self) -> dict[str, Json]:
        """Return step → items done and failed a second, and the mean seconds of one; the busiest first."""
        outcomes = self.per_second("hopline_items_total", "step", "outcome")
        means = self.mean_seconds("hopline_item_seconds", "step")
        names = sorted({step for step, _ in outcomes}, key=lambda step: -outcomes.get((step, "done"), 0.0))
        return {
            step: {
                "done": outcomes.get((step, "done"), 0.0),
                "failed": sum(outcomes.get((step, bad), 0.0) for bad in ("failed", "dead")),
                "deferred": outcomes.get((step, "deferred"), 0.0),
                "mean_seconds": means.get(step),
            }
            for step in names
        }

    def models(self) -> dict[str, Json]:
        """Return tier and model → calls, failures, tokens and cost a minute, and a call's mean seconds."""
        calls = self.per_second("hopline_model_calls_total", "tier", "model")
        failures = self.per_second("hopline_model_failures_total", "tier", "model")
        tokens = self.per_second("hopline_model_tokens_total", "tier", "model")
        cost = self.per_second("hopline_model_cost_total", "tier", "model")
        means = self.mean_seconds("hopline_model_seconds", "model")
        return {
            " ".join(key): {
                "calls": calls.get(key, 0.0) * _MINUTE,
                "failures": failures.get(key, 0.0) * _MINUTE,
                "tokens": tokens.get(key, 0.0) * _MINUTE,
                "cost": cost.get(key, 0.0) * _MINUTE,
                "mean_seconds": means.get(key[1]),
            }
            for key in sorted({*calls, *failures})
        }

    def as_json(self) -> Json:
        """Return all of it, for machines."""
        return {
            "seconds": self.seconds,
            "queues": dict(self.queues),
            "held": int(self.now.total("hopline_messages_held")),
            "running": {kind: int(count) for (kind,), count in self._running().items()},
            "steps": self.steps(),
            "models": self.models(),
            "paused": [" ".join(key) for key in self.paused()],
        }

    def paused(self) -> list[tuple[str, ...]]:
        """Return kind and name of each pause."""
        return sorted(self.now.by("hopline_paused", "kind", "name"))

    def _running(self) -> dict[tuple[str, ...], float]:
        return {key: count for key, count in self.now.by("hopline_jobs_running", "kind").items() if count}
