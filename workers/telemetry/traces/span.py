"""A span as hopline makes it, before OpenTelemetry's SDK is given it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from hopline.models.base import Frozen
from hopline.traces import TraceContext

Attribute = str | int | float | bool
Attributes = dict[str, Attribute]
Kind = Literal["internal", "client"]


class SpanEvent(Frozen):
    """Something that happened at a moment of a span."""

    name: str
    at: int  # nanoseconds since 1970
    attributes: Attributes = {}


class SpanLink(Frozen):
    """A span of another trace that this one has to do with."""

    trace_id: str
    span_id: str


class Span(Frozen):
    """A span that has ended."""

    trace_id: str
    span_id: str
    parent: str = ""  # "" of a trace's first
    name: str
    kind: Kind = "internal"
    began: int  # nanoseconds since 1970
    ended: int
    attributes: Attributes = {}
    events: tuple[SpanEvent, ...] = ()
    links: tuple[SpanLink, ...] = ()
    failed: bool = False


class SpanOutlet(Protocol):
    """Where spans go."""

    def is_sampled(self, context: TraceContext) -> bool:
        """Return whether the spans of a job are wanted."""

    def emit(self, span: Span) -> None:
        """Send a span some time soon; it may be lost."""

    def export(self, spans: Sequence[Span]) -> bool:
        """Send spans now; return whether they were taken."""


def known(attributes: Mapping[str, Attribute | None]) -> Attributes:
    """Return the attributes whose values are known."""
    return {name: value for name, value in attributes.items() if value is not None}
