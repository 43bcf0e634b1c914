"""What an ended job leaves to be done: tell its parent, cancel its children, remember the exchange."""

from __future__ import annotations

import secrets

from workers.core.work import Event, JobState
from workers.ledger.records import Claim, JobRecord, Moved, Parent
from workers.services import Services

_NOTHING = "(nothing was found)"


def work_off(services: Services, job_id: str) -> list[tuple[Claim, Moved]]:
    """Work off an ended job's outbox, then take it out of the index; every part may be repeated.

    Returns:
        The parent's items that were finished, each with what its flow has to do next.
    """
    ledger = services.ledger
    record = ledger.job(job_id)
    if record is None:
        ledger.leave(job_id)
        return []
    if record.state is JobState.RUNNING:
        return []
    moves = []
    for entry, value in ledger.outbox(job_id).items():
        if entry == "parent":
            moves.append(_tell_parent(services, record, Parent.model_validate_json(value)))
        elif entry == "session":
            _remember(services, record, value)
        else:
            ledger.end(value, None, JobState.CANCELLED, {"reason": "the job it belongs to has ended"})
            work_off(services, value)
        ledger.strike(job_id, entry)
    ledger.leave(job_id)
    if record.parent and record.state is JobState.DONE:
        ledger.forget(job_id)
    return moves


def _tell_parent(services: Services, record: JobRecord, parent: Parent) -> tuple[Claim, Moved]:
    claim = Claim(
        job_id=parent.job_id, epoch=parent.epoch, item_id=parent.item_id, token=secrets.token_hex(8)
    )
    outcome = record.outcome or {}
    error = "" if record.state is JobState.DONE else str(outcome.get("error") or outcome.get("reason") or "")
    if record.state is not JobState.DONE and not error:
        error = f"the job ended {record.state.value}"
    result = {"state": record.state.value, "outcome": outcome, "job_id": record.job.id}
    shown = {name: value for name, value in outcome.items() if isinstance(value, str | int | float)}
    told = Event(name=f"{record.job.kind}.ended", data=shown)
    return claim, services.ledger.finish_child(claim, result, error, told)


def _remember(services: Services, record: JobRecord, session: str) -> None:
    job, text = record.job, (record.outcome or {}).get("text")
    answered = record.state in (JobState.DONE, JobState.PARTIAL) and text
    # What was asked in vain still says what the next question is about.
    answer = text if answered else _NOTHING if record.state is JobState.ABSTAINED else None
    if answer:
        services.sessions.add(job.collection, session, job.id, job.params.get("question", ""), answer)
