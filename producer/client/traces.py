"""The trace that calls of a client belong to."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from workers.core.errors import InvalidInput
from workers.core.jobs.traces import TraceContext, read_traceparent

_current: ContextVar[str] = ContextVar("traceparent", default="")


@contextmanager
def in_trace(traceparent: str) -> Iterator[None]:
    """Have the jobs that are submitted meanwhile belong to a trace, by this thread or task.

    Without it they belong to the span of OpenTelemetry that is current, if there is one.

    Args:
        traceparent: the span that asks for them, as W3C Trace Context writes it.

    Raises:
        InvalidInput: it is not valid.
    """
    trace = read_traceparent(traceparent)
    if not trace:
        form = "00-<32 hexadecimal digits>-<16 hexadecimal digits>-<2 hexadecimal digits>"
        raise InvalidInput("traceparent", traceparent, form)
    token = _current.set(trace)
    try:
        yield
    finally:
        _current.reset(token)


def current_traceparent() -> str:
    """Return the span that asks; "" without one."""
    return _current.get() or _current_span()


def _current_span() -> str:
    """Return OpenTelemetry's current span; a program that has not loaded it has none."""
    opentelemetry = sys.modules.get("opentelemetry.trace")
    if opentelemetry is None:
        return ""
    span = opentelemetry.get_current_span().get_span_context()
    if not span.is_valid:
        return ""
    trace_id, parent = f"{span.trace_id:032x}", f"{span.span_id:016x}"
    return str(TraceContext(trace_id=trace_id, parent=parent, sampled=span.trace_flags.sampled))
