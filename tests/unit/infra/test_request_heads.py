"""The time that a request's head may take, by a clock that the test moves."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from uvicorn import Config
from uvicorn.server import ServerState

from infra.request_heads import TimedHeads

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
SECONDS = TimedHeads.head_seconds


class Handle:
    """What the loop gives back for a timer or a task."""

    def __init__(self, cancel: Callable[[], object] = lambda: None) -> None:
        self.cancel = cancel

    def add_done_callback(self, _call: object) -> None:
        return None


@dataclass
class Loop:
    """What of an event loop the protocol uses; tasks are done when the test says so."""

    now: float = 0.0
    timers: dict[object, tuple[float, Callable[[], None]]] = field(default_factory=dict)
    tasks: list[Coroutine[Any, Any, None]] = field(default_factory=list)

    def call_later(self, seconds: float, call: Callable[[], None]) -> Handle:
        name = object()
        self.timers[name] = (self.now + seconds, call)
        return Handle(lambda: self.timers.pop(name, None))

    def create_task(self, task: Coroutine[Any, Any, None]) -> Handle:
        self.tasks.append(task)
        return Handle()

    def answer(self) -> None:
        for task in self.tasks:
            try:
                task.send(None)
            except StopIteration:
                continue
            raise AssertionError("the application waits")
        self.tasks.clear()

    def move(self, seconds: float) -> None:
        self.now += seconds
        for name, (due, call) in list(self.timers.items()):
            if due <= self.now:
                del self.timers[name]
                call()


class Transport:
    """A connection that only knows whether it was given up."""

    is_given_up = False

    def abort(self) -> None:
        self.is_given_up = True

    def get_extra_info(self, _name: str) -> None:
        return None

    def is_closing(self) -> bool:
        return self.is_given_up

    def write(self, _data: bytes) -> None:
        return None

    def close(self) -> None:
        self.is_given_up = True


async def application(_scope: object, _receive: object, send: Callable[..., Any]) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


def connected() -> tuple[Loop, TimedHeads, Transport]:
    config = Config(application, lifespan="off", log_config=None, access_log=False, timeout_keep_alive=75)
    config.load()
    loop, transport = Loop(), Transport()
    protocol = TimedHeads(config, ServerState(), {}, loop)  # type: ignore[arg-type]
    protocol.connection_made(transport)  # type: ignore[arg-type]
    return loop, protocol, transport


def test_who_is_silent_or_lets_a_head_trickle_in_is_let_go() -> None:
    for parts in ((), (HEAD, *[b"X: y\r\n"] * 9)):
        loop, protocol, transport = connected()
        for part in parts:
            protocol.data_received(part)
            loop.move(SECONDS / 20)
        assert not transport.is_given_up
        loop.move(SECONDS)
        assert transport.is_given_up


def test_a_body_may_take_longer_than_a_head() -> None:
    loop, protocol, transport = connected()
    protocol.data_received(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf")
    loop.move(2 * SECONDS)
    assert not transport.is_given_up
    loop.tasks.pop().close()


def test_between_two_requests_a_connection_may_rest_longer_and_the_next_head_has_its_own_time() -> None:
    loop, protocol, transport = connected()
    protocol.data_received(HEAD + b"\r\n")
    loop.answer()
    loop.move(2 * SECONDS)
    assert not transport.is_given_up
    protocol.data_received(HEAD)
    loop.move(SECONDS / 2)
    assert not transport.is_given_up
    loop.move(SECONDS)
    assert transport.is_given_up
