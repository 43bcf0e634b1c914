"""The rate limiter: limits of model endpoints, shared by all workers."""

from __future__ import annotations

import random
import secrets
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import redis
import structlog

from hopline.errors import Deferred
from hopline.models.base import Frozen
from workers.adapters.redis.lua import lua_source
from workers.core.models.permits import Came, Cost, Kind, Line, Permit, Waited
from workers.limits.in_flight import HELD_SECONDS, CallsInFlight
from workers.limits.keys import LINES, REFUSED, line_keys, line_name, wake_keys

log = structlog.get_logger()

_LATELY_SECONDS = 90.0  # a refusal is known to all for so long; give_turn.lua forgets it before
_SKEW_SECONDS = 60.0  # between workers' clocks; what lies further ahead was written before one was set back
_CALLS = 2  # time limits of a call: with what surrounds it
_WAKE_SECONDS = 0.5  # a call whose worker died is found out by looking
_LEARNING = 0.1  # weight of the newest call in what is known of estimates
_LEAST_SHARE = 0.05
_NOTED = 0.02  # seconds; who waited less did not wait
_WORDS = {
    "requests": "the limit of requests per minute of {} at {} is used up for now",
    "tokens": "the limit of tokens per minute of {} at {} is used up for now",
    "pause": "{1} asked to wait, {0} among its models",
}


class LineLimits(Frozen):
    """An endpoint's limits for one kind of call; None means no limit."""

    rpm: int | None = None  # requests per minute
    tpm: int | None = None  # tokens per minute
    calls: int | None = None  # in flight
    timeout: float = 60.0  # seconds that a call may take: after twice as long it is not under way any more

    @property
    def any(self) -> bool:
        """Whether there is any limit."""
        return bool(self.rpm or self.tpm or self.calls)


class RateLimiter:
    """Gives permits; one instance per process, shared by its threads.

    If nothing is limited and nothing was refused lately, a permit takes no round trip.

    Args:
        client: the ledger's Redis.
        limits: kind of line → limits of its endpoint.
        share: share of the calls in flight that bulk work leaves free.
        used: whether the endpoint counts the tokens actually used by a reply, not its maximum on arrival.
        look_seconds: seconds between two checks for recent refusals, if no limit is set.
        held_seconds: how long a call counts as in flight if it is not renewed because its worker died.
    """

    def __init__(
        self,
        client: redis.Redis,
        limits: Mapping[str, LineLimits],
        share: float,
        *,
        used: bool = False,
        look_seconds: float = 1.0,
        held_seconds: float = HELD_SECONDS,
    ) -> None:
        self._client = client
        self._limits = limits
        self._share = share
        self._used = used
        self._look_seconds = look_seconds
        self._held_seconds = held_seconds
        self._take = client.register_script(_source("take_turn"))
        self._give = client.register_script(_source("give_turn"))
        self._flights = CallsInFlight(client.register_script(_source("count_turns")), held_seconds)
        self._heads: dict[tuple[str, Kind], threading.Lock] = defaultdict(threading.Lock)
        self._known: set[str] = set()  # lines that are entered in LINES
        self._refused: dict[str, float] = {}
        self._looked = -look_seconds
        self._ratio: dict[str, float] = defaultdict(lambda: 1.0)  # what calls count by what was estimated

    def take(self, line: Line, cost: Cost, kind: Kind, patience: float, waited: Waited) -> Permit:
        """Wait for a permit, at most `patience` seconds, and take it.

        Raises:
            Deferred: the wait would be longer; retry_after says when a permit will be available.
        """
        call = secrets.token_hex(6)
        if not self._limits[line.kind].any and not self._refused_lately(line):
            permit = Permit(line=line, call=call, cost=cost)
            self._flights.begin(permit, kind, self._longest(line), counted=False)
            return permit
        self._enter(line)
        self._flights.count_loose(line)
        permit = Permit(line=line, call=call, booked=self.estimate(line, cost), cost=cost)
        started = time.monotonic()
        with self._head(line, kind, patience):
            reply = self.request_turn(permit, kind, patience)
            while reply[0] == "calls":
                left = patience - (time.monotonic() - started)
                if left <= 0:
                    waited("calls", time.monotonic() - started)
                    raise _full(line)
                self._sleep_until_woken(line, kind, min(_WAKE_SECONDS, left))
                reply = self.request_turn(permit, kind, max(0.0, patience - (time.monotonic() - started)))
        if (stood := time.monotonic() - started) > _NOTED:
            waited("calls", stood)
        return self._granted(permit, kind, reply, waited)

    def _longest(self, line: Line) -> float:
        """Return the seconds after which a call cannot be under way any more."""
        return _CALLS * self._limits[line.kind].timeout

    def _granted(self, permit: Permit, kind: Kind, reply: list[Any], waited: Waited) -> Permit:
        verdict, milliseconds, *more = reply
        wait = milliseconds / 1000
        if verdict == "back":
            waited(more[0], wait)
            raise Deferred(_WORDS[more[0]].format(permit.line.model, permit.line.endpoint), retry_after=wait)
        permit = permit.model_copy(update={"second": more[0]})
        self._flights.begin(permit, kind, wait + self._longest(permit.line), counted=True)
        if wait > 0:
            waited(more[1], wait)
            time.sleep(wait)
        return permit

    def give(
        self,
        permit: Permit,
        kind: Kind,
        came: Came,
        used: Cost | None = None,
        retry_after: float | None = None,
    ) -> None:
        """Release a permit with the call's usage; an overloaded endpoint slows all workers down."""
        line = permit.line
        if came == "busy":
            self._note_refusal(line)
            self._flights.count_loose(line)
        if self._flights.end(permit):
            return
        limits = self._limits[line.kind]
        counted = permit.booked if came != "unsent" else 0
        if used is not None:
            counted = self._counted(permit.cost, used)
            self._learn(line, permit.cost, counted)
        self._give(
            keys=[*line_keys(line), *wake_keys(line)],
            args=[
                permit.call,
                kind,
                permit.second,
                permit.booked,
                counted,
                int(came != "unsent"),
                limits.tpm or "",
                "failed" if came == "unsent" else came,
                "" if retry_after is None else int(retry_after * 1000),
                1000,
                limits.calls or "",
            ],
        )

    # how much a call counts -----------------------------------------------------------------------

    def estimate(self, line: Line, cost: Cost) -> int:
        """Return the number of tokens reserved for a call."""
        ratio = self._ratio[line_name(line)]
        if self._used:
            return max(1, int((cost.prompt + cost.completion) * ratio))
        return int(cost.prompt * ratio) + cost.completion

    def _counted(self, cost: Cost, used: Cost) -> int:
        return used.prompt + (used.completion if self._used else cost.completion)

    def _learn(self, line: Line, cost: Cost, counted: int) -> None:
        """Learn how calls compare with their estimates: these are upper bounds, by another vocabulary."""
        bound = cost.prompt + (cost.completion if self._used else 0)
        seen = counted - (0 if self._used else cost.completion)
        if bound > 0:
            name = line_name(line)
            share = min(2.0, max(_LEAST_SHARE, seen / bound))
            self._ratio[name] += _LEARNING * (share - self._ratio[name])

    # asking ---------------------------------------------------------------------------------------

    def request_turn(self, permit: Permit, kind: Kind, patience: float) -> list[Any]:
        """Request a turn for a call once, without waiting for it.

        Returns:
            The reply of take_turn.lua: a verdict, and its values.
        """
        limits = self._limits[permit.line.kind]
        return cast(
            "list[Any]",
            self._take(
                keys=line_keys(permit.line),
                args=[
                    permit.call,
                    kind,
                    permit.booked,
                    limits.rpm or "",
                    limits.tpm or "",
                    limits.calls or "",
                    self._share,
                    int(patience * 1000),
                    int(1000 * min(self._held_seconds, self._longest(permit.line))),
                ],
            ),
        )

    @contextmanager
    def _head(self, line: Line, kind: Kind, patience: float) -> Iterator[None]:
        """Wait in this process's queue: only its head asks Redis while all calls are in flight."""
        lock = self._heads[line_name(line), kind]
        if not lock.acquire(timeout=max(0.0, patience)):
            raise _full(line)
        try:
            yield
        finally:
            lock.release()

    def _sleep_until_woken(self, line: Line, kind: Kind, seconds: float) -> None:
        self._client.blpop([wake_keys(line)[kind == "interactive"]], timeout=max(0.01, seconds))

    # which endpoints refused lately ---------------------------------------------------------------

    def _refused_lately(self, line: Line) -> bool:
        now = time.monotonic()
        if now - self._looked >= self._look_seconds:
            self._looked = now
            self._refused = {
                name: float(until)
                for name, until in cast("dict[str, str]", self._client.hgetall(REFUSED)).items()
            }
        ahead = self._refused.get(line_name(line), 0.0) - time.time()
        return 0.0 < ahead < _LATELY_SECONDS + _SKEW_SECONDS

    def _note_refusal(self, line: Line) -> None:
        self._enter(line)
        until = time.time() + _LATELY_SECONDS
        self._refused[line_name(line)] = until
        self._client.hset(REFUSED, line_name(line), repr(until))

    def _enter(self, line: Line) -> None:
        name = line_name(line)
        if name not in self._known:
            self._client.hset(LINES, name, line.model_dump_json())
            self._known.add(name)


def _full(line: Line) -> Deferred:
    text = f"the limit of concurrent calls to {line.model} at {line.endpoint} is reached"
    return Deferred(text, retry_after=random.uniform(1.0, 3.0))  # noqa: S311 - spreads them


def _source(name: str) -> str:
    return lua_source("workers.limits", "turns_prelude", name)
