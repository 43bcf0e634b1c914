"""Decides which jobs are traced, and sends their spans."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence

import structlog

from hopline.traces import TraceContext
from workers.core.jobs.traces import trace_id_of
from workers.telemetry.metrics import COUNTS
from workers.telemetry.traces.span import Span, SpanOutlet

log = structlog.get_logger()

_REST_SECONDS = 30.0  # after a collector failed: jobs that end in the meantime are not reported


def open_tracer(*, texts: bool) -> Tracer | None:
    """Return the tracer configured by OpenTelemetry's variables; None if its packages are missing."""
    try:
        from workers.telemetry.traces.otlp import OtlpOutlet  # noqa: PLC0415 - an extra
    except ImportError as error:
        log.warning("traces.off", reason=f"the extra otel is not installed: {error}")
        return None
    return Tracer(OtlpOutlet(), texts=texts)


class Tracer:
    """The traces of this process.

    Args:
        outlet: where spans go.
        texts: whether they contain texts that people wrote.
    """

    def __init__(self, outlet: SpanOutlet, *, texts: bool = False) -> None:
        self.outlet = outlet
        self.texts = texts
        self._rests_until = 0.0

    def opened(self, trace: str) -> str:
        """Return the trace of a job that is submitted, decided once and for all.

        Args:
            trace: its caller's; "" without one.

        Returns:
            "" if there is nothing to remember, because no trace was requested and this job is not sampled.
        """
        caller = TraceContext.read(trace)
        context = caller or TraceContext(trace_id=secrets.token_hex(16))
        sampled = self.outlet.is_sampled(context)
        return str(context.model_copy(update={"sampled": sampled})) if caller or sampled else ""

    def opened_child(self, job_id: str, above: str) -> str:
        """Return the trace of a job that an item of another is delegated to: its own, linked to that.

        Args:
            job_id: id of the job.
            above: the trace of the other; this one is sampled where that is, and only there.
        """
        parent = TraceContext.read(above)
        if parent is None or not parent.sampled:
            return ""
        return str(TraceContext(trace_id=trace_id_of(job_id)))

    def export(self, spans: Sequence[Span]) -> None:
        """Send the spans of an ended job; what cannot be sent is lost, as no job waits for a trace."""
        if time.monotonic() >= self._rests_until:
            if self.outlet.export(spans):
                return
            self._rests_until = time.monotonic() + _REST_SECONDS
            log.warning("trace.not_sent", spans=len(spans), rests=_REST_SECONDS)
        COUNTS.count("hopline_traces_lost")
