"""The time that a request's head may take, by a clock that the test moves."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import Mock

from uvicorn import Config
from uvicorn.server import ServerState

from infra.request_heads import TimedHeads

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
SECONDS = TimedHeads.head_seconds


@dataclass
class Loop:
    """What of an event loop the protocol uses; tasks are done when the test says so."""

    now: float = 0.0
    timers: dict[object, tuple[float, Callable[[], None]]] = field(default_factory=dict)
    tasks: list[Coroutine[Any, Any, None]] = field(default_factory=list)

    def call_later(self, seconds: float, call: Callable[[], None]) -> Any:
        name = object()
        self.timers[name] = (self.now + seconds, call)
        return Mock(cancel=lambda: self.timers.pop(name, None))

    def create_task(self, task: Coroutine[Any, Any, None]) -> Any:
        self.tasks.append(task)
        return Mock()

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


async def application(_scope: object, _receive: object, send: Callable[..., Any]) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


def connected() -> tuple[Loop, TimedHeads, Mock]:
    """Return a protocol on a loop of its own, and what is told when the connection is given up."""
    config = Config(application, lifespan="off", log_config=None, access_log=False, timeout_keep_alive=75)
    config.load()
    loop, transport = Loop(), Mock()
    transport.get_extra_info.return_value = None
    transport.is_closing.side_effect = lambda: transport.abort.called
    protocol = TimedHeads(config, ServerState(), {}, loop)  # type: ignore[arg-type]
    protocol.connection_made(transport)  # type: ignore[arg-type]
    return loop, protocol, transport.abort


def test_who_is_silent_or_lets_a_head_trickle_in_is_let_go_and_a_body_takes_longer() -> None:
    for parts in ((), (HEAD, *[b"X: y\r\n"] * 9)):
        loop, protocol, given_up = connected()
        for part in parts:
            protocol.data_received(part)
            loop.move(SECONDS / 20)
        assert not given_up.called
        loop.move(SECONDS)
        assert given_up.called
    loop, protocol, given_up = connected()
    protocol.data_received(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf")
    loop.move(2 * SECONDS)
    assert not given_up.called
    loop.tasks.pop().close()


def test_between_two_requests_a_connection_may_rest_longer_and_the_next_head_has_its_own_time() -> None:
    loop, protocol, given_up = connected()
    protocol.data_received(HEAD + b"\r\n")
    loop.answer()
    loop.move(2 * SECONDS)
    assert not given_up.called
    protocol.data_received(HEAD)
    loop.move(SECONDS / 2)
    assert not given_up.called
    loop.move(SECONDS)
    assert given_up.called
