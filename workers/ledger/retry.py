"""Retries the unfinished items of an ended job under a new epoch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from hopline.errors import StateConflict, just_retried, nothing_to_retry, still_running, unknown_job
from hopline.models.jobs import JobState, Parent
from workers.core.jobs.records import JobRecord
from workers.core.redis_keys import ACTIVE, job_key
from workers.ledger.ledger import Ledger

_PAGE = 300  # items that one script handles


def retry_dead_letters(
    ledger: Ledger, job_id: str, parent: Parent | None = None, *, epoch: int | None = None
) -> int:
    """Open an ended job again with its dead letters due; return the new epoch.

    The job goes back to the first phase with dead letters, or without any, to the one in which it was
    stopped. Items that this phase left unfinished, because the job was cancelled or the phase closed, are due
    again too.
    Results of later phases are removed a few hundred at a time while the job still counts as ended, so after
    a crash in between it can be retried again.

    Args:
        ledger: the ledger with the job.
        job_id: id of the job.
        parent: for a child, the item that it is opened for.
        epoch: the epoch that the job must have ended in; default any.

    Raises:
        InvalidInput: the job is unknown, still running, or has nothing left to do; its children, session or
            webhook have not been notified of its end yet; somebody else retried it; or the parent's item no
            longer waits for it.
    """
    record = _ended(ledger, job_id)
    if epoch is not None and record.epoch != epoch:
        raise just_retried(job_id)
    letters = ledger.dead_letters(job_id)
    phase = min((letter.phase for letter in letters), default=record.phase)
    dead = {letter.item_id for letter in letters if letter.phase == phase}
    again, later = _split(ledger, job_id, phase, dead)
    if not (letters or again or record.state is JobState.CANCELLED or _has_more(ledger, job_id)):
        raise nothing_to_retry(job_id)
    for at in range(0, max(len(again), len(later)), _PAGE):
        due = again[at : at + _PAGE]
        taken_back = later[at : at + _PAGE]
        ledger.scripts.call("prepare_retry", job_id, record.epoch, len(due), *due, *taken_back)
    parent_json = parent.model_dump_json() if parent else ""
    reply = ledger.scripts.call("retry", job_id, record.epoch, phase, parent_json, more_keys=(ACTIVE,))
    if reply[0] == "gone":
        raise just_retried(job_id)
    return int(reply[1])


def _ended(ledger: Ledger, job_id: str) -> JobRecord:
    record = ledger.job(job_id)
    if record is None:
        raise unknown_job(job_id)
    if record.state is JobState.RUNNING:
        raise still_running(job_id)
    # What an older epoch of its parent would be told finds nothing there, and no job waits for a trace;
    # all else is lost by starting again.
    if ledger.outbox(job_id).keys() - {"parent", "trace"}:
        message = f"job {job_id} has ended, but is still reporting its end: try again in a moment"
        raise StateConflict("job", job_id, "a job whose end has been reported", message=message)
    return record


def _has_more(ledger: Ledger, job_id: str) -> bool:
    """Return whether the last phase's list was not admitted to its end."""
    cursor, size = ledger.client.hmget(job_key(job_id, "job"), "cursor", "size")
    return int(cursor or 0) < int(size or 0)


def _split(ledger: Ledger, job_id: str, phase: int, dead: set[str]) -> tuple[list[str], list[str]]:
    """Return the phase's items to retry, and what follows: its advance, and items of later phases."""
    done = {item for item, _ in _scan(ledger, job_id, "result")} - dead
    again, later = [], []
    for item, value in _scan(ledger, job_id, "items"):
        number, step, _ = value.split(" ", 2)
        if int(number) > phase or (step == "flow.advance" and int(number) == phase):
            later.append(item)
        elif int(number) == phase and item not in done:
            again.append(item)
    return again, later


def _scan(ledger: Ledger, job_id: str, part: str) -> Iterator[tuple[str, str]]:
    fields = ledger.client.hscan_iter(job_key(job_id, part), count=_PAGE)
    return cast("Iterator[tuple[str, str]]", fields)
