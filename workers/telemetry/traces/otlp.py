"""Gives spans to OpenTelemetry's SDK, which its own environment variables configure."""

from __future__ import annotations

from collections.abc import Sequence

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import Event, ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from hopline.traces import TraceContext
from workers.telemetry.traces.span import Span

_JOB_SECONDS = 3.0  # that a worker's thread waits for a collector at a job's end
_UNNAMED = "unknown_service"  # what the SDK says where nothing names the service
_SCOPE = InstrumentationScope("hopline")
_KINDS = {"internal": SpanKind.INTERNAL, "client": SpanKind.CLIENT}


class OtlpOutlet:
    """Sends spans over OTLP: single ones from a thread of the SDK, those of a whole job at once.

    Args:
        exporter: for single ones; over HTTP unless given.
        at_once: for a job's; over HTTP unless given.
    """

    def __init__(self, exporter: SpanExporter | None = None, at_once: SpanExporter | None = None) -> None:
        provider = TracerProvider(resource=_resource())  # it is closed, and so flushed, at the process's end
        self._resource, self._sampler = provider.resource, provider.sampler
        self._processor = BatchSpanProcessor(exporter or OTLPSpanExporter())
        self._at_once = at_once or OTLPSpanExporter(timeout=_JOB_SECONDS)
        provider.add_span_processor(self._processor)

    def is_sampled(self, context: TraceContext) -> bool:
        """Return the configured sampler's decision for a trace id and its caller's decision."""
        parent = None
        if context.parent:
            caller = _context(context.trace_id, context.parent, sampled=context.sampled, remote=True)
            parent = set_span_in_context(NonRecordingSpan(caller))
        sampling = self._sampler.should_sample(parent, int(context.trace_id, 16), "job")
        return sampling.decision is Decision.RECORD_AND_SAMPLE

    def emit(self, span: Span) -> None:
        """Queue a span for the SDK's thread."""
        self._processor.on_end(self._readable(span))

    def export(self, spans: Sequence[Span]) -> bool:
        """Send spans now; return whether the collector took them."""
        return self._at_once.export([self._readable(span) for span in spans]) is SpanExportResult.SUCCESS

    def flush(self) -> None:
        """Send the queued spans."""
        self._processor.force_flush()

    def _readable(self, span: Span) -> ReadableSpan:
        return ReadableSpan(
            name=span.name,
            context=_context(span.trace_id, span.span_id),
            parent=_context(span.trace_id, span.parent) if span.parent else None,
            resource=self._resource,
            attributes=span.attributes,
            events=[Event(event.name, event.attributes, event.at) for event in span.events],
            links=[Link(_context(link.trace_id, link.span_id)) for link in span.links],
            kind=_KINDS[span.kind],
            instrumentation_scope=_SCOPE,
            status=Status(StatusCode.ERROR if span.failed else StatusCode.UNSET),
            start_time=span.began,
            end_time=span.ended,
        )


def _context(trace_id: str, span_id: str, *, sampled: bool = True, remote: bool = False) -> SpanContext:
    flags = TraceFlags(TraceFlags.SAMPLED if sampled else TraceFlags.DEFAULT)
    return SpanContext(int(trace_id, 16), int(span_id, 16), is_remote=remote, trace_flags=flags)


def _resource() -> Resource:
    resource = Resource.create()
    if str(resource.attributes.get(SERVICE_NAME, _UNNAMED)).startswith(_UNNAMED):
        return resource.merge(Resource({SERVICE_NAME: "hopline"}))
    return resource
