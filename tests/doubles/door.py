"""Workers that call a model through the real limiter, in a time of the test's own: hours pass in seconds."""

import heapq
import itertools
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
import redis

from workers.core.models.permits import Cost, Kind, Line, Permit
from workers.limits.keys import line_keys, wake_keys
from workers.limits.rate_limiter import LineLimits, RateLimiter

LINE = Line(endpoint="http://door/v1", model="made-up", kind="model")
PATIENCE = 20.0
_CLOCK = "test:clock"
_START = 1_700_000_000.0
_SENT_AGAIN = 1.5  # seconds until the watchdog has sent an item again whose time has come


@contextmanager
def own_clock() -> Iterator[None]:
    """Have scripts that are registered from now on read the test's clock in place of Redis's."""
    register, command = redis.Redis.register_script, f"redis.call('LRANGE', '{_CLOCK}', 0, 1)"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            redis.Redis,
            "register_script",
            lambda client, text: register(client, text.replace("redis.call('TIME')", command)),
        )
        yield


def tell_time(client: redis.Redis, moment: float) -> None:
    """Set the test's clock to so many seconds since the epoch."""
    seconds, part = divmod(moment, 1)
    pipeline = client.pipeline(transaction=True)
    pipeline.delete(_CLOCK)
    pipeline.rpush(_CLOCK, int(seconds), int(part * 1_000_000))
    pipeline.execute()


@dataclass
class Door:
    """An endpoint that notes when which tokens come, and the callers who share it."""

    client: redis.Redis
    limits: LineLimits
    share: float = 0.25
    latency: float = 1.0
    late: float = 1.0  # seconds at most between a place and its call's arrival
    seed: int = 0
    came: list[tuple[float, int, Kind]] = field(default_factory=list)  # arrival, tokens, class
    sent_back: int = 0
    waits: list[float] = field(default_factory=list)  # of interactive calls
    most_flying: int = 0

    def __post_init__(self) -> None:
        self.client.delete(*line_keys(LINE), *wake_keys(LINE))
        self.now = 0.0
        self._clock = _START  # Redis's, when the test began
        self.limiter = RateLimiter(self.client, {"model": self.limits}, self.share)
        self._dice = random.Random(self.seed)
        self._events: list[tuple[float, int, str, Kind, Cost, Permit | None, float]] = []
        self._order = itertools.count()
        self._flying = 0

    def call(self, at: float, kind: Kind, cost: Cost) -> None:
        """Have a caller come, who is done after one call."""
        self._put(at, "once", kind, cost, None, at)

    def keep_calling(self, kind: Kind, cost: Cost, callers: int) -> None:
        """Have callers come again whenever they are done."""
        for _ in range(callers):
            self._put(self._dice.uniform(0, 0.5), "ask", kind, cost, None, 0.0)

    def set_clock(self, by: float) -> None:
        """Set Redis's clock on, or back."""
        self._clock += by

    def refuse(self, retry_after: float) -> None:
        """Have the endpoint refuse a call and say until when."""
        self._tell_time()
        permit = Permit(line=LINE, call="refused", cost=Cost(prompt=0))
        self.limiter.give(permit, "bulk", "busy", retry_after=retry_after)

    def play(self, seconds: float) -> None:
        """Let so many seconds pass."""
        while self._events and self._events[0][0] < seconds:
            at, _, what, kind, cost, permit, since = heapq.heappop(self._events)
            self.now = at
            if permit is not None:
                self._return(what, kind, cost, permit)
            else:
                self._ask(what, kind, cost, since)

    def _ask(self, what: str, kind: Kind, cost: Cost, since: float) -> None:
        self._tell_time()
        booked = self.limiter.estimate(LINE, cost)
        permit = Permit(line=LINE, call=str(next(self._order)), booked=booked, cost=cost)
        verdict, *more = self.limiter.request_turn(permit, kind, PATIENCE)
        if verdict == "calls":
            self._put(self.now + 0.05, what, kind, cost, None, since)
        elif verdict == "back":
            self.sent_back += 1
            again = more[0] / 1000 + self._dice.uniform(0, _SENT_AGAIN)
            self._put(self.now + again, what, kind, cost, None, since)
        else:
            arrival = self.now + more[0] / 1000 + self._dice.uniform(0, self.late)
            counted = int(cost.prompt * self._dice.uniform(0.8, 0.85)) + cost.completion
            self.came.append((arrival, counted, kind))
            self._flying += 1
            self.most_flying = max(self.most_flying, self._flying)
            if kind == "interactive":
                self.waits.append(self.now + more[0] / 1000 - since)
            taken = permit.model_copy(update={"second": more[1]})
            self._put(
                arrival + self.latency, what, kind, Cost(prompt=counted - cost.completion), taken, since
            )

    def _return(self, what: str, kind: Kind, used: Cost, permit: Permit) -> None:
        self._tell_time()
        self._flying -= 1
        self.limiter.give(permit, kind, "done", used)
        if what == "ask":
            self._put(self.now, what, kind, permit.cost, None, self.now)

    def _put(self, at: float, what: str, kind: Kind, cost: Cost, permit: Permit | None, since: float) -> None:
        heapq.heappush(self._events, (at, next(self._order), what, kind, cost, permit, since))

    def _tell_time(self) -> None:
        tell_time(self.client, self._clock + self.now)

    # what the door saw ----------------------------------------------------------------------------

    def most_in_a_minute(self) -> tuple[int, int]:
        """Return the most requests and the most tokens that came within any sixty seconds."""
        came = sorted((at, tokens) for at, tokens, _ in self.came)
        requests = tokens = first = inside = 0
        for nth, (at, more) in enumerate(came):
            inside += more
            while came[first][0] <= at - 60:
                inside -= came[first][1]
                first += 1
            requests, tokens = max(requests, nth - first + 1), max(tokens, inside)
        return requests, tokens

    def per_minute(self, start: float, end: float) -> tuple[float, float]:
        """Return the requests and the tokens per minute that came between two moments."""
        inside = [tokens for at, tokens, _ in self.came if start <= at < end]
        return len(inside) * 60 / (end - start), sum(inside) * 60 / (end - start)
