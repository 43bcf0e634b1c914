"""A collector of OpenTelemetry's traces: it takes OTLP over HTTP on a port of its own, as real ones do."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from infra.local.process import LOOPBACK


@dataclass(frozen=True)
class Arrived:
    """A span as it came over the wire."""

    name: str
    trace_id: str
    span_id: str
    parent: str
    attributes: dict[str, Any]
    events: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    service: str


@dataclass
class OtlpCollector:
    """What has arrived, by all exporters."""

    url: str = ""
    spans: list[Arrived] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        """What a process is told to send its spans here, soon."""
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": self.url, "OTEL_BSP_SCHEDULE_DELAY": "100"}

    def of(self, trace_id: str) -> list[Arrived]:
        """Return the spans of a trace, each once: the same may come again."""
        return list({span.span_id: span for span in list(self.spans) if span.trace_id == trace_id}.values())

    def orphans(self, trace_id: str, asked_by: str = "") -> list[Arrived]:
        """Return the spans whose parent has not arrived, but for that of who asked."""
        spans = self.of(trace_id)
        ids = {span.span_id for span in spans} | {asked_by}
        return [span for span in spans if span.parent not in ids]

    def roots(self, trace_id: str, asked_by: str = "") -> list[Arrived]:
        """Return the spans without a parent, or below the one who asked."""
        return [span for span in self.of(trace_id) if span.parent == asked_by]

    def is_whole(self, trace_id: str, asked_by: str) -> bool:
        """Tell whether a trace has a root and each span's parent is there."""
        return bool(self.roots(trace_id, asked_by)) and not self.orphans(trace_id, asked_by)

    def twice(self, trace_id: str) -> list[str]:
        """Return the names of the spans that came more than once."""
        ids = Counter((span.name, span.span_id) for span in list(self.spans) if span.trace_id == trace_id)
        return [name for (name, _), count in ids.items() if count > 1]


def _read(body: bytes) -> Iterator[Arrived]:
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        service = _plain(resource.resource.attributes).get("service.name", "")
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield Arrived(
                    name=span.name,
                    trace_id=span.trace_id.hex(),
                    span_id=span.span_id.hex(),
                    parent=span.parent_span_id.hex(),
                    attributes=_plain(span.attributes),
                    events=tuple(event.name for event in span.events),
                    links=tuple((link.trace_id.hex(), link.span_id.hex()) for link in span.links),
                    service=service,
                )


def _plain(attributes: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, str(each.value.WhichOneof("value"))) for each in attributes}


@contextmanager
def otlp_collector() -> Iterator[OtlpCollector]:
    """Collect until the block is left."""
    collector = OtlpCollector()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            collector.bodies.append(body)
            collector.spans.extend(list(_read(body)))  # all of a request at once: a job's come together
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer((LOOPBACK, 0), Handler)
    server.daemon_threads = True
    collector.url = f"http://{LOOPBACK}:{server.server_port}"
    threading.Thread(target=server.serve_forever, name="collector", daemon=True).start()
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
