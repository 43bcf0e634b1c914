"""The trace that a job belongs to, in the form of W3C Trace Context, and the ids of its spans.

An id is a hash of what it stands for: so any worker knows the span that another builds at the job's end.
"""

from __future__ import annotations

from hopline.traces import TraceContext, hashed


def log_fields(request_id: str, trace: str) -> dict[str, str]:
    """Return what log lines say of a request and of its trace."""
    context = TraceContext.read(trace) if trace else None
    fields = {"request_id": request_id, "trace_id": context.trace_id if context else ""}
    return {name: value for name, value in fields.items() if value}


def trace_id_of(job_id: str) -> str:
    """Return the trace id of a job that another delegates an item to: both can link to one another."""
    return hashed("trace", job_id)[:32]
