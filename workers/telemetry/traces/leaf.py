"""Spans of what an item's step does: model calls, statements, requests."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from contextvars import ContextVar, Token
from types import TracebackType
from typing import NamedTuple, Self

from hopline.traces import TraceContext
from workers.telemetry.traces.span import Attribute, Attributes, Kind, Span, known
from workers.telemetry.traces.tracer import Tracer

_NANO = 1_000_000_000
_LEAST_WAIT = 0.001  # seconds


class ItemTrace(NamedTuple):
    """The item that this thread does, whose job is traced."""

    tracer: Tracer
    context: TraceContext
    span_id: str  # of the item
    attempt: int  # 1 for the first


_item: ContextVar[ItemTrace | None] = ContextVar("item_trace", default=None)


def follow_item(trace: ItemTrace | None) -> Token[ItemTrace | None]:
    """Attribute this thread's spans to an item; return the argument for `leave_item`."""
    return _item.set(trace)


def leave_item(token: Token[ItemTrace | None]) -> None:
    """Restore the previous attribution of this thread's spans."""
    _item.reset(token)


class Leaf:
    """A span from entry to exit; it is sent only if the item's job is traced."""

    __slots__ = ("_attributes", "_began", "_item", "_name")

    def __init__(self, name: str, attributes: Mapping[str, Attribute | None]) -> None:
        self._item = _item.get()
        if self._item is not None:
            self._name = name
            self._attributes: Attributes = known(attributes)

    @property
    def is_sent(self) -> bool:
        """Whether there is a span at all."""
        return self._item is not None

    @property
    def shows_texts(self) -> bool:
        """Whether the span is sent and may contain texts that people wrote."""
        return self._item is not None and self._item.tracer.texts

    def note(self, attributes: Mapping[str, Attribute | None]) -> None:
        """Add attributes."""
        if self._item is not None:
            self._attributes |= known(attributes)

    def __enter__(self) -> Self:
        if self._item is not None:
            self._began = time.time_ns()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._item is not None:
            self._send(self._item, kind)

    def _send(self, item: ItemTrace, kind: type[BaseException] | None) -> None:
        if kind is not None:
            public = next(each.__name__ for each in kind.__mro__ if not each.__name__.startswith("_"))
            self._attributes.setdefault("error.type", public)
        _emit(item, self._name, self._began, self._attributes, failed=kind is not None)


def note_wait(name: str, seconds: float, attributes: Attributes) -> None:
    """Send the span of a wait that ends now, if the item's job is traced."""
    item = _item.get()
    if item is not None and seconds >= _LEAST_WAIT:
        _emit(item, name, time.time_ns() - round(seconds * _NANO), attributes, kind="internal")


def _emit(
    item: ItemTrace,
    name: str,
    began: int,
    attributes: Attributes,
    *,
    kind: Kind = "client",
    failed: bool = False,
) -> None:
    item.tracer.outlet.emit(
        Span(
            trace_id=item.context.trace_id,
            span_id=secrets.token_hex(8),
            parent=item.span_id,
            name=name,
            kind=kind,
            began=began,
            ended=time.time_ns(),
            attributes=attributes | {"hopline.attempt": item.attempt},
            failed=failed,
        )
    )
