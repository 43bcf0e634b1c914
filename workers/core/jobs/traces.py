"""The trace of a job, in the form of W3C Trace Context, and the ids of its spans.

A span's id is a hash of what the span stands for, so any worker knows the ids of spans that another one
builds at the job's end.
"""

from __future__ import annotations

from hopline.traces import TraceContext, hashed


def log_fields(request_id: str, trace: str) -> dict[str, str]:
    """Return the log fields of a request and its trace."""
    context = TraceContext.read(trace) if trace else None
    fields = {"request_id": request_id, "trace_id": context.trace_id if context else ""}
    return {name: value for name, value in fields.items() if value}


def trace_id_of(job_id: str) -> str:
    """Return the trace id of a job in a parent's trace, so that both traces can link to each other."""
    return hashed("trace", job_id)[:32]
