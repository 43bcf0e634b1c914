"""Counters that workers increment for the metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hopline.errors import Conflict, Deferred, Permanent, Transient
from hopline.events.catalogue import read_event
from hopline.events.questions import AnswerWritten
from workers.core.errors import BudgetExceeded
from workers.core.jobs.records import Begun
from workers.core.jobs.work import Event
from workers.telemetry.metrics import COUNTS

Done = Literal["done", "late", "failed", "dead", "deferred", "delegated"]
_OF_VERDICT: dict[str, Done] = {"recorded": "done", "again": "failed", "dead": "dead"}
# The first that fits: Deferred is Transient, too.
_CLASSES = (
    (Deferred, "away"),
    (Transient, "transient"),
    (BudgetExceeded, "budget"),
    (Permanent, "permanent"),
    (Conflict, "gone"),
)


def count_begun(begun: Begun) -> None:
    """Count a lease that was found lost when its item was begun again."""
    if begun.lost:
        count_lost([(begun.lost, begun.died)])


def count_lost(lost: Sequence[tuple[str, bool]]) -> None:
    """Count lost leases by step, and whether the item became a dead letter."""
    for step, died in lost:
        COUNTS.count("hopline_leases_lost", step)
        if died:
            count_dead_letter(step)


def count_dead_letter(step: str) -> None:
    """Count a dead letter."""
    COUNTS.count("hopline_dead_letters", step)


def count_attempt(step: str, verdict: str, seconds: float) -> None:
    """Count an attempt by its outcome in the ledger; late if another worker finished the item first."""
    COUNTS.observe("hopline_item_seconds", step, seconds=seconds)
    count_outcome(step, _OF_VERDICT.get(verdict, "late"))
    if verdict == "dead":
        count_dead_letter(step)


def count_outcome(step: str, outcome: Done) -> None:
    """Count what became of an attempt."""
    COUNTS.count("hopline_items", step, outcome)


def count_written(events: Sequence[Event]) -> None:
    """Count the sentences of an answer, and how its facts were used."""
    for event in events:
        match read_event(event):
            case AnswerWritten() as written:
                COUNTS.count("hopline_answer_sentences", "kept", by=written.sentences)
                COUNTS.count("hopline_answer_sentences", "dropped", by=written.dropped)
                for outcome, facts in written.facts.items():
                    COUNTS.count("hopline_answer_facts", outcome, by=facts)


def count_error(error: Exception) -> None:
    """Count a step's error by its class: what a worker does with it."""
    error_class = next((name for kind, name in _CLASSES if isinstance(error, kind)), "crashed")
    COUNTS.count("hopline_errors", error_class, type(error).__name__)
