"""The trace that a job belongs to, in the form of W3C Trace Context, and the ids of its spans.

An id is a hash of what it stands for: so any worker knows the span that another builds at the job's end.
"""

from __future__ import annotations

import hashlib
import re
from typing import Self

from workers.core.records import Frozen

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
        """Read what `str` of a context gives, or a traceparent header; None where it is neither."""
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
        return _hashed(self.trace_id, job_id, "run", str(run))[:16]

    def phase_span(self, job_id: str, epoch: int, phase: int) -> str:
        """Return the id of a phase's span."""
        return _hashed(self.trace_id, job_id, str(epoch), "phase", str(phase))[:16]

    def item_span(self, job_id: str, epoch: int, item_id: str) -> str:
        """Return the id of an item's span."""
        return _hashed(self.trace_id, job_id, str(epoch), "item", item_id)[:16]

    def part_span(self, span_id: str, part: str) -> str:
        """Return the id of a part of a span."""
        return _hashed(self.trace_id, span_id, part)[:16]

    def below(self, job_id: str, run: int) -> TraceContext:
        """Return the context of a job that another one, in this trace, has asked for."""
        return self.model_copy(update={"parent": self.job_span(job_id, run)})


def read_traceparent(text: str) -> str:
    """Return a caller's traceparent in our form; "" where it is not valid, as the standard demands."""
    context = TraceContext.read(text.strip())
    return str(context) if context and context.parent else ""


def log_fields(request_id: str, trace: str) -> dict[str, str]:
    """Return what log lines say of a request and of its trace."""
    context = TraceContext.read(trace) if trace else None
    fields = {"request_id": request_id, "trace_id": context.trace_id if context else ""}
    return {name: value for name, value in fields.items() if value}


def trace_id_of(job_id: str) -> str:
    """Return the trace id of a job that another delegates an item to: both can link to one another."""
    return _hashed("trace", job_id)[:32]


def _hashed(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
