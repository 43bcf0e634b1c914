"""A collector of spans in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from hopline.traces import TraceContext
from workers.telemetry.traces.span import Span
from workers.telemetry.traces.tracer import Tracer


@dataclass
class Collector:
    """`telemetry.traces.span.SpanOutlet` in memory."""

    samples: bool = True
    takes: bool = True
    emitted: list[Span] = field(default_factory=list)
    jobs: list[list[Span]] = field(default_factory=list)

    def is_sampled(self, context: TraceContext) -> bool:
        return context.sampled and self.samples

    def emit(self, span: Span) -> None:
        self.emitted.append(span)

    def export(self, spans: Sequence[Span]) -> bool:
        self.jobs.append(list(spans))
        return self.takes


def tracer_to(collector: Collector, *, texts: bool = False) -> Tracer:
    return Tracer(collector, texts=texts)
