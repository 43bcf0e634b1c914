"""Real code that can be stopped before any call to Redis, go on later, or be killed there."""

import threading
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any, cast

import redis
from fakeredis import FakeRedis, FakeServer
from redis.client import Pipeline

from workers.ledger.scripts import script_source

WHOLE = 10_000  # calls; nothing that is played here makes as many
_SECONDS = 120.0  # between two calls; more is a hang


class Killed(BaseException):
    """Raised in code whose process is killed; no handler of errors catches it."""


class Actor(threading.Thread):
    """One thing that a process does, in a thread that runs only while `go_on` waits for it.

    Args:
        name: for people who read a trace.
        act: what it does.
    """

    def __init__(self, name: str, act: Callable[[], object]) -> None:
        super().__init__(name=name, daemon=True)
        self.is_over = False
        self.error: BaseException | None = None  # what the act raised
        self.stands_before = "its begin"  # the call that it makes next
        self._act = act
        self._is_killed = False
        self._turn, self._stop = threading.Semaphore(0), threading.Semaphore(0)

    def go_on(self, calls: int = WHOLE) -> None:
        """Let it make so many calls and stop before the next one, or end."""
        if not self.is_alive():
            self.start()
        while calls > 0 and not self.is_over:
            calls -= 1
            self._turn.release()
            stopped = self._stop.acquire(timeout=_SECONDS)
            assert stopped, f"{self.name} hangs after {self.stands_before}"

    def kill(self) -> None:
        """End it where it stands; no call of it reaches Redis any more."""
        self._is_killed = True
        if self.is_alive():
            self.go_on()
        self.is_over = True

    def run(self) -> None:
        self._turn.acquire()
        try:
            if not self._is_killed:
                self._act()
        except BaseException as error:  # noqa: BLE001 - whoever plays it looks
            self.error = None if isinstance(error, Killed) else error
        self.is_over = True
        self._stop.release()

    def wait_before(self, call: str) -> None:
        if not self._is_killed:
            self.stands_before = call
            self._stop.release()
            self._turn.acquire()
        if self._is_killed:
            raise Killed


def current_actor() -> Actor | None:
    """Return the actor that runs this; None where nobody plays it."""
    thread = threading.current_thread()
    return thread if isinstance(thread, Actor) else None


def stop_before(call: str) -> None:
    """Stop here if an actor runs this; anybody else passes."""
    if actor := current_actor():
        actor.wait_before(call)


class SteppedRedis(redis.Redis):
    """A client before whose every round trip an actor stops."""

    def execute_command(self, *args: Any, **options: Any) -> Any:
        stop_before(_script_names().get(args[1], args[0]) if len(args) > 1 else args[0])
        return super().execute_command(*args, **options)

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> Pipeline:  # noqa: FBT001, FBT002 - redis-py's
        return _SteppedPipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)


class _SteppedPipeline(Pipeline):
    def execute(self, raise_on_error: bool = True) -> list[Any]:  # noqa: FBT001, FBT002 - redis-py's
        stop_before("pipeline")
        return cast("list[Any]", super().execute(raise_on_error))


@cache
def _script_names() -> dict[object, str]:
    """Return the name of each of the ledger's scripts by the hash that it is called by."""
    names = [path.name.removesuffix(".lua") for path in (files("workers.ledger") / "lua").iterdir()]
    return {script_source(name)[1]: name for name in names}


class SteppedMemory(SteppedRedis, FakeRedis):
    """The same over a Redis in memory."""


def stepped_redis(url: str) -> SteppedRedis:
    """Return a client of a database."""
    return cast("SteppedRedis", SteppedRedis.from_url(url, decode_responses=True))


def stepped_memory(server: FakeServer) -> SteppedRedis:
    return SteppedMemory(server=server, decode_responses=True)
