"""The report of an evaluation, as JSON: figures, rows, and the environment."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import psutil

from hopline.models.base import Frozen
from hopline.models.times import Timestamp
from producer.evaluation.answers import AnswerRow, Answers
from producer.evaluation.measures import RESAMPLES
from producer.evaluation.retrieval import RankedRow, Retrieval
from workers.core.prompts import prompt_versions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from infra.local.probes import PartStatus
    from producer.evaluation.dataset import Dataset
    from workers.settings import Settings

_PACKAGES = ("hopline", "celery", "neo4j", "qdrant-client", "openai", "pydantic")
_PROMPTS = (
    "workers.traverse.auto",
    "workers.traverse",
    "workers.traverse.graph",
    "workers.traverse.reader",
    "workers.traverse.survey",
    "workers.traverse.tools",
    "workers.text2cypher",
    "workers.critic",
)
_SETTINGS = ("fast_model", "strong_model", "embedding_model", "model_calls", "interactive_threads", "limits")


class MeasuredFile(Frozen):
    """Which file was measured, and how much of it."""

    name: str
    passages: int
    questions: int
    types: dict[str, int]


class Ingested(Frozen):
    """Counts of the ingestion of passages; empty where all were there."""

    new: int = 0
    failed: dict[str, str] = {}  # passages that could not be brought in, with the reason
    model_calls: int = 0
    seconds: float = 0.0


class EvalReport(Frozen):
    """The report of `hopline eval`."""

    file: MeasuredFile
    collection: str
    at: Timestamp
    seed: int  # of the confidence intervals
    resamples: int
    settings: dict[str, Any]
    machine: dict[str, Any]
    versions: dict[str, str]
    prompts: dict[str, str] = {}  # versions by name, of all that questions are answered with
    ingested: Ingested
    others: int = 0  # documents of the collection that are none of the file's, and are ranked with them
    retrieval: Retrieval
    answers: Answers | None = None
    ranked: tuple[RankedRow, ...] = ()  # a row per question
    answered: tuple[AnswerRow, ...] = ()


def measured_file(dataset: Dataset) -> MeasuredFile:
    """Return the description of the file."""
    return MeasuredFile(
        name=dataset.name,
        passages=len(dataset.passages),
        questions=len(dataset.questions),
        types=dataset.types(),
    )


def circumstances(settings: Settings, parts: Sequence[PartStatus]) -> dict[str, Any]:
    """Return a report's at, settings, machine, prompts and versions; no setting is an address or a secret."""
    shown = settings.model_dump(mode="json")
    servers = {part.name: part.version for part in parts if part.version}
    return {
        "at": datetime.now(UTC),
        "resamples": RESAMPLES,
        "settings": {name: shown.get(name, getattr(settings, name)) for name in _SETTINGS},
        "machine": {
            "system": platform.system(),
            "architecture": platform.machine(),
            "cores": os.cpu_count(),
            "memory_gb": round(psutil.virtual_memory().total / 2**30, 1),
        },
        "prompts": dict(prompt_versions(*_PROMPTS)),
        "versions": {"python": platform.python_version()}
        | {f"package {name}": version(name) for name in _PACKAGES}
        | {f"server {name}": release for name, release in servers.items()},
    }
