"""Dead letters of an ended job get another chance under a new epoch."""

from __future__ import annotations

from typing import cast

from workers.core.errors import InvalidInput
from workers.core.work import JobState
from workers.ledger.keys import ACTIVE, job_key
from workers.ledger.ledger import Ledger
from workers.ledger.records import Parent

_PAGE = 300  # items that one script handles


def retry_dead_letters(ledger: Ledger, job_id: str, parent: Parent | None = None) -> int:
    """Open an ended job again with its dead letters due; return the new epoch.

    Results of later phases are taken back a few hundred at a time while the job still counts as ended, so a
    crash in between leaves an ended job that can be retried again.

    Raises:
        InvalidInput: the job is unknown, still runs, or has no dead letters.
    """
    record = ledger.job(job_id)
    if record is None:
        raise InvalidInput("job", job_id, "the id of a job that has not expired")
    if record.state is JobState.RUNNING:
        raise InvalidInput("job", job_id, "a job that has ended; this one still runs")
    letters = ledger.dead_letters(job_id)
    if not letters:
        raise InvalidInput("job", job_id, "a job with dead letters; this one has none")
    phase = min(letter.phase for letter in letters)
    again = [letter.item_id for letter in letters if letter.phase == phase]
    later = _items_after(ledger, job_id, phase)
    ledger.client.zadd(ACTIVE, {job_id: ledger.client.time()[0]}, nx=True)
    for at in range(0, max(len(again), len(later)), _PAGE):
        due = again[at : at + _PAGE]
        ledger.scripts.call("prepare_retry", job_id, len(due), *due, *later[at : at + _PAGE])
    reply = ledger.scripts.call("retry", job_id, phase, parent.model_dump_json() if parent else "")
    if reply[0] == "running":
        raise InvalidInput("job", job_id, "a job that has ended; this one was just retried")
    return int(reply[1])


def _items_after(ledger: Ledger, job_id: str, phase: int) -> list[str]:
    """Return the items of later phases, and the advance items from this phase on."""
    later = []
    for item, value in ledger.client.hscan_iter(job_key(job_id, "items"), count=_PAGE):
        number, step, _ = cast("str", value).split(" ", 2)
        if int(number) > phase or (step == "flow.advance" and int(number) >= phase):
            later.append(cast("str", item))
    return later
