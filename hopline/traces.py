"""The trace that calls of a client belong to."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Self

from hopline.errors import InvalidInput
from hopline.models.base import Frozen

_FORM = re.compile(r"(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?", re.ASCII)

_FIRST_VERSION = "00"

_NO_TRACE, _NO_SPAN = "0" * 32, "0" * 16

_SAMPLED = 1


class TraceContext(Frozen):
    """A job's trace, and who asked for the job."""

    trace_id: str  # 32 hexadecimal digits
    parent: str = ""  # the span that asked, 16 hexadecimal digits; "" where the trace begins with the job
    sampled: bool = True

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Read the `str` of a context, or a traceparent header; None if it is neither."""
        match = _FORM.fullmatch(text)
        if match is None or (match[4] and text.startswith(_FIRST_VERSION)) or match[1] == _NO_TRACE:
            return None
        parent = "" if match[2] == _NO_SPAN else match[2]
        return cls(trace_id=match[1], parent=parent, sampled=bool(int(match[3], 16) & _SAMPLED))

    def __str__(self) -> str:
        """Return it as a traceparent; a root's parent is zeros, which no header has."""
        return f"{_FIRST_VERSION}-{self.trace_id}-{self.parent or _NO_SPAN}-{int(self.sampled):02x}"

    def job_span(self, job_id: str, run: int) -> str:
        """Return the id of a job's span; run: how often it was opened, 1 for the first."""
        return hashed(self.trace_id, job_id, "run", str(run))[:16]

    def phase_span(self, job_id: str, epoch: int, phase: int) -> str:
        """Return the id of a phase's span."""
        return hashed(self.trace_id, job_id, str(epoch), "phase", str(phase))[:16]

    def item_span(self, job_id: str, epoch: int, item_id: str) -> str:
        """Return the id of an item's span."""
        return hashed(self.trace_id, job_id, str(epoch), "item", item_id)[:16]

    def part_span(self, span_id: str, part: str) -> str:
        """Return the id of a part of a span."""
        return hashed(self.trace_id, span_id, part)[:16]

    def below(self, job_id: str, run: int) -> TraceContext:
        """Return the context of a job that another one, in this trace, has asked for."""
        return self.model_copy(update={"parent": self.job_span(job_id, run)})


def read_traceparent(text: str) -> str:
    """Return a caller's traceparent in our form; "" if it is not valid, as the standard requires."""
    context = TraceContext.read(text.strip())
    return str(context) if context and context.parent else ""


def hashed(*parts: str) -> str:
    """Return the hash of some texts, in 64 hexadecimal digits."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


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
