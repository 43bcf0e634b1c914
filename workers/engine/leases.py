"""The items that this process is working on, and the thread that renews their leases."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import structlog

from hopline.models.base import Frozen
from workers.core.jobs.records import Claim
from workers.engine.outages import REDIS_AWAY
from workers.ledger.ledger import Ledger

log = structlog.get_logger()

_AGAIN_SECONDS = 1.0  # after Redis was away
_EXIT_SECONDS = 20.0  # a worker that lost a thread gives the others this long


class HeldLease(Frozen):
    """A claim, and the time until which its step may run (monotonic seconds)."""

    claim: Claim
    until: float


def leave_process() -> None:
    """End this process, leaving its other threads a moment; its supervisor starts a new one."""
    os.kill(os.getpid(), signal.SIGTERM)
    timer = threading.Timer(_EXIT_SECONDS, os._exit, args=(70,))
    timer.daemon = True
    timer.start()


@dataclass
class Leases:
    """Claims by token, renewed every third of a lease while their steps are within their time limits.

    Args:
        ledger: the ledger that renews them.
        lease_seconds: duration of a lease.
        leave: ends this process if a step is stuck.
        stopping: set when no more leases are to be renewed; also used to wait between two rounds.
    """

    ledger: Ledger
    lease_seconds: float
    leave: Callable[[], None] = leave_process
    stopping: threading.Event = field(default_factory=threading.Event)
    _held: dict[tuple[str, str], HeldLease] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def holding(self, claim: Claim, time_limit: float) -> Iterator[None]:
        """Keep the claim's lease renewed inside the block, but not past the time limit (seconds)."""
        self.hold(claim, time_limit)
        try:
            yield
        finally:
            self.release(claim)

    def hold(self, claim: Claim, time_limit: float = math.inf) -> None:
        """Keep the claim's lease renewed from now on, but not past the time limit (seconds)."""
        with self._lock:
            self._held[_key(claim)] = HeldLease(claim=claim, until=time.monotonic() + time_limit)

    def release(self, claim: Claim) -> None:
        """Stop renewing the claim's lease."""
        with self._lock:
            self._held.pop(_key(claim), None)

    def start(self) -> None:
        """Start the renewing thread."""
        threading.Thread(target=self.renew_until_stopped, name="lease-renewer", daemon=True).start()

    def stop(self) -> None:
        """Stop renewing."""
        self.stopping.set()

    def renew_until_stopped(self) -> None:
        """Renew the held leases, round by round; sooner after a round during which Redis was unavailable."""
        usual = pause = self.lease_seconds / 3
        while not self.stopping.wait(pause):
            pause = usual
            try:
                self.renew_once()
            except REDIS_AWAY as error:
                log.warning("leases.not_renewed", error=str(error))
                pause = min(usual, _AGAIN_SECONDS)  # a watchdog with shorter leases is back by then
            except Exception:
                log.exception("leases.not_renewed")

    def renew_once(self) -> None:
        """Renew every claim within its time limit; a worker with a stuck thread ends itself."""
        now = time.monotonic()
        with self._lock:
            held = list(self._held.values())
        stuck = [h.claim for h in held if h.until < now]
        for claim in stuck:
            log.error("item.stuck", job_id=claim.job_id, item=claim.item_id)
        valid = [h.claim for h in held if h.until >= now]
        if valid:
            for claim, kept in zip(valid, self.ledger.renew(valid), strict=True):
                if kept is None:
                    log.error("lease.not_renewed", job_id=claim.job_id, item=claim.item_id)
                elif not kept and self._drop(claim):
                    log.warning("lease.gone", job_id=claim.job_id, item=claim.item_id)
        if stuck:
            self.leave()

    def _drop(self, claim: Claim) -> bool:
        """Remove a claim; False if its step has just finished."""
        with self._lock:
            return self._held.pop(_key(claim), None) is not None


def _key(claim: Claim) -> tuple[str, str]:
    return claim.token, claim.item_id
