"""Publishes provisional events of an item in progress; they are void once another worker takes over."""

from __future__ import annotations

import time
from collections.abc import Sequence

import structlog

from hopline.errors import Conflict
from workers.core.jobs.records import Claim
from workers.core.jobs.work import Event
from workers.ledger.scripts import Scripts
from workers.ledger.wire import flat_events

log = structlog.get_logger()

_PAUSE = 1.0  # seconds after a telling that failed: its step must not wait at every sentence
_MOST = 200  # events that wait to be told; a step tells far fewer


class ItemTelling:
    """Emits an item's provisional events, in order and each once, for as long as its lease is the claim's.

    Args:
        scripts: the ledger's, over a client that gives up soon: an event may be lost, its step may not.
        claim: the item with its lease.
        taken_back_by: the event that tells readers to forget what was told; emitted when another worker
            begins the item, or when it is given up.
    """

    def __init__(self, scripts: Scripts, claim: Claim, taken_back_by: str) -> None:
        self._scripts = scripts
        self._claim = claim
        self._taken_back_by = taken_back_by
        self._told = 0  # events that the ledger knows
        self._waiting: list[Event] = []
        self._not_before = 0.0  # monotonic seconds

    def __call__(self, events: Sequence[Event]) -> None:
        """Publish these events after pending ones.

        Raises:
            Conflict: the job has ended, so that nobody waits for what the step does.
        """
        self._waiting = [*self._waiting, *events][:_MOST]
        if time.monotonic() >= self._not_before:
            self.tell_waiting()

    def tell_waiting(self) -> None:
        """Publish pending events again.

        Raises:
            Conflict: the job has ended.
        """
        if not self._waiting:
            return
        try:
            is_told = tell(self._scripts, self._claim, self._taken_back_by, self._told + 1, self._waiting)
        except Conflict:
            raise
        except Exception as error:  # noqa: BLE001 - whatever is wrong with telling, the step goes on
            log.warning("item.not_told", error=str(error))
            is_told = False
        if is_told:
            self._told += len(self._waiting)
            self._waiting = []
        else:
            self._not_before = time.monotonic() + _PAUSE


def tell(scripts: Scripts, claim: Claim, taken_back_by: str, first: int, events: Sequence[Event]) -> bool:
    """Emit an item's provisional events; may be repeated. False if the lease is not (or no longer) valid.

    Raises:
        Conflict: the job has ended.

    Args:
        scripts: the ledger's.
        claim: the item with its lease.
        taken_back_by: the event that makes them void.
        first: the number of the first event among all that the lease tells, from 1 on.
        events: one after another.
    """
    reply = scripts.call("tell", claim.job_id, *claim.args(), taken_back_by, first, *flat_events(events))
    if reply[0] == "ended":
        raise Conflict(f"job {claim.job_id} has ended")
    return bool(reply[0] == "told")
