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
    """Publishes an item's provisional events, in order and each once, while the claim's lease is valid.

    Args:
        scripts: the ledger's scripts, over a client with short timeouts: losing an event is acceptable,
            losing the step is not.
        claim: the item and its lease.
        taken_back_by: the event that tells readers to discard the provisional events; published when another
            worker starts the item, or when the item is given up.
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
        """Publish pending events, if any.

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
    """Publish an item's provisional events; may be repeated. False if the lease is not (or no longer) valid.

    Raises:
        Conflict: the job has ended.

    Args:
        scripts: the ledger's scripts.
        claim: the item and its lease.
        taken_back_by: the event that makes them void.
        first: number of the first event, counted from 1 over all events published under the lease.
        events: the events, in order.
    """
    reply = scripts.call("tell", claim.job_id, *claim.args(), taken_back_by, first, *flat_events(events))
    if reply[0] == "ended":
        raise Conflict(f"job {claim.job_id} has ended")
    return bool(reply[0] == "told")
