"""Counts model calls for the metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workers.telemetry.metrics import COUNTS

if TYPE_CHECKING:
    from workers.adapters.openai.calls import ChatModel
    from workers.core.jobs.work import Usage


def count_call(model: ChatModel, used: Usage, seconds: float) -> None:
    """Count a call that came back after so many seconds."""
    labels = (model.tier, model.name)
    COUNTS.count("hopline_model_calls", *labels)
    COUNTS.observe("hopline_model_seconds", *labels, seconds=seconds)
    COUNTS.count("hopline_model_tokens", *labels, "prompt", by=used.prompt_tokens)
    COUNTS.count("hopline_model_tokens", *labels, "completion", by=used.completion_tokens)
    if used.cost is not None:
        COUNTS.count("hopline_model_cost", *labels, by=used.cost)


def count_failure(model: ChatModel, error: Exception) -> None:
    """Count a call that failed or was refused."""
    COUNTS.count("hopline_model_failures", model.tier, model.name, type(error).__name__)
