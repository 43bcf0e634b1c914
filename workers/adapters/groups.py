"""Groups concurrent requests, so that a server is called once for all of them."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import get_ident
from typing import Generic, TypeVar

import structlog

Request = TypeVar("Request")
Reply = TypeVar("Reply")

LOOKED_BACK = 24  # requests by which the pace is known
_THREADS = 12  # that send them: with fewer, one that waits for a group's worth of others waits in vain
_ENOUGH = 8  # requests in a group for which nobody waits any longer
_WORTH = 2  # further requests within the patience for which one waits

_log = structlog.get_logger()


@dataclass(eq=False)
class _Waiting(Generic[Request, Reply]):
    """A request of a thread that waits."""

    request: Request
    leads: bool = False  # its own thread is to lead the next group
    # What the group brought it; None: it is to be done alone, or its thread leads.
    reply: Future[Reply | None] = field(default_factory=Future)


class Groups(Generic[Request, Reply]):
    """Processes requests of a process's threads in groups.

    Requests that arrive while the maximum number of groups is in progress wait, and then go into one group
    with as many as fit. If patience is set, a request waits for more if recent ones came so quickly, and from
    so many threads, that others are likely. If a group fails, each of its requests is repeated alone, so that
    none fails because of another.

    Args:
        do_all: processes two or more requests as one; returns a reply to each, None for one to repeat alone.
        do_one: processes a single request; errors are raised to its own caller.
        fits: returns whether a request may join the given ones.
        most: maximum number of groups in progress.
        patience: maximum number of seconds that a request waits for others.
        clock: monotonic clock in seconds, used to measure the pace of requests.
        caller: returns the thread that makes a request.
    """

    def __init__(
        self,
        do_all: Callable[[Sequence[Request]], Sequence[Reply | None]],
        do_one: Callable[[Request], Reply],
        fits: Callable[[Sequence[Request], Request], bool],
        most: int,
        patience: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        caller: Callable[[], int] = get_ident,
    ) -> None:
        self._do_all = do_all
        self._do_one = do_one
        self._fits = fits
        self._most = most
        self._patience = patience
        self._clock = clock
        self._caller = caller
        self._lock = threading.Lock()
        self._arrival = threading.Condition(self._lock)
        self._waiting: list[_Waiting[Request, Reply]] = []
        self._under_way = 0
        self._gathering = False  # a request waits for others to go with it
        # time and thread of the last requests
        self._arrivals: deque[tuple[float, int]] = deque(maxlen=LOOKED_BACK)

    @property
    def waiting(self) -> int:
        """Number of requests waiting for a group."""
        return len(self._waiting)

    def do(self, request: Request) -> Reply:
        """Process a request, with others or alone; return its reply."""
        reply = self._done_together(_Waiting(request))
        return self._do_one(request) if reply is None else reply

    def _done_together(self, own: _Waiting[Request, Reply]) -> Reply | None:
        with self._lock:
            own.leads = self._under_way < self._most and not self._gathering
            self._under_way += own.leads
            self._arrivals.append((self._clock(), self._caller()))
            if not own.leads:
                self._waiting.append(own)
                self._arrival.notify()
            elif (seconds := self._worth_waiting()) > 0:
                self._gather(seconds)
        if not own.leads:
            reply = own.reply.result()
            if not own.leads:
                return reply
        try:
            return self._lead(own)
        finally:
            self._hand_over()

    def _worth_waiting(self) -> float:
        """Return the seconds in which a group fills at the last requests' pace; 0: too few come."""
        if len(self._arrivals) < LOOKED_BACK or len({thread for _, thread in self._arrivals}) < _THREADS:
            return 0.0
        gap = (self._arrivals[-1][0] - self._arrivals[0][0]) / (LOOKED_BACK - 1)
        return min(self._patience, _ENOUGH * gap) if _WORTH * gap < self._patience else 0.0

    def _gather(self, seconds: float) -> None:
        """Wait, with the lock, until others have come."""
        self._gathering = True
        try:
            self._arrival.wait_for(lambda: len(self._waiting) + 1 >= _ENOUGH, seconds)
        finally:
            self._gathering = False

    def _lead(self, own: _Waiting[Request, Reply]) -> Reply | None:
        """Process the waiting requests together, as many as fit."""
        group = self._take(own)
        if len(group) == 1:
            return self._do_one(own.request)
        replies: list[Reply | None] = [None] * len(group)
        try:
            done = self._do_all([member.request for member in group])
            replies = [reply for _member, reply in zip(group, done, strict=True)]
        except Exception as error:  # noqa: BLE001 - whose it is shows when each is done alone
            _log.info("group.split", requests=len(group), error=repr(error))
        finally:
            for member, reply in zip(group[1:], replies[1:], strict=True):
                member.reply.set_result(reply)
        return replies[0]

    def _take(self, own: _Waiting[Request, Reply]) -> list[_Waiting[Request, Reply]]:
        """Take from those that wait what goes with a request."""
        group = [own]
        with self._lock:
            for other in list(self._waiting):
                together = [member.request for member in group]
                if self._fits(together, other.request):
                    self._waiting.remove(other)
                    group.append(other)
            if self._waiting and self._under_way < self._most and not self._gathering:
                self._under_way += 1
                self._let_lead()
        return group

    def _let_lead(self) -> None:
        """Let the first that waits lead the next group."""
        following = self._waiting.pop(0)
        following.leads = True
        following.reply.set_result(None)

    def _hand_over(self) -> None:
        """Let the first that waits lead the next group, if any does."""
        with self._lock:
            if self._waiting and not self._gathering:
                self._let_lead()
            else:
                self._under_way -= 1
