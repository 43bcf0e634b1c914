"""Builds the spans of a job, its phases and its items from the ledger's records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hopline.events.jobs import ItemDone, JobRetried
from hopline.models.jobs import JobState
from hopline.models.timelines import Attempt, TimedItem, Timeline
from hopline.traces import TraceContext
from workers.core.errors import class_of
from workers.core.events.timeline import timeline_of
from workers.core.ids import child_job_id
from workers.core.jobs.records import JobRecord
from workers.core.jobs.traces import trace_id_of
from workers.core.jobs.work import Event
from workers.telemetry.traces.span import Attributes, Span, SpanEvent, SpanLink, known

_MICRO, _OF_NANO = 1_000_000, 1000
_RETRIED = JobRetried.event
_DOCUMENT = "ingest.document"  # whose items' ids are number:address
_LINKED_FIRST = 1  # a child's first run; a link to another would be one to nowhere


def job_spans(
    record: JobRecord,
    context: TraceContext,
    entries: Sequence[tuple[str, Event]],
    *,
    parent_trace: str = "",
    texts: bool = False,
) -> list[Span]:
    """Return the spans of a job's last run, the job's own first.

    Args:
        record: record of the job, which has ended.
        context: the trace that it belongs to.
        entries: its events with their ids, oldest first.
        parent_trace: trace of its parent job; "" if there is none.
        texts: whether spans contain texts that people wrote.
    """
    return _JobSpans(record, context, entries, texts=texts).all(parent_trace)


class _JobSpans:
    def __init__(
        self, record: JobRecord, context: TraceContext, entries: Sequence[tuple[str, Event]], *, texts: bool
    ) -> None:
        self._record, self._context, self._texts = record, context, texts
        self._id, self._epoch, self._run = record.job.id, record.epoch, record.run
        own = _last_run(entries)
        self._timeline = timeline_of(own)
        self._cut = bool(own) and self._timeline.cut and own[0][1].name != _RETRIED
        self._delegated = {str(event.data["item"]) for _, event in own if _is_delegated(event)}
        self._began = self._moment(0.0) if self._run > 1 and own else _nanoseconds(record.created)
        self._ended = max(_nanoseconds(record.ended or record.created), self._began)

    def all(self, parent_trace: str) -> list[Span]:
        spans = [self._job(parent_trace)]
        for number, items in _by_phase(self._timeline).items():
            spans.append(self._phase(number, items))
            for item in items:
                spans += self._item(item)
        return spans

    def _moment(self, seconds: float) -> int:
        """Return when something was, in nanoseconds since 1970, by seconds since the timeline's start."""
        return _nanoseconds(self._timeline.started.timestamp() + seconds)

    def _job(self, parent_trace: str) -> Span:
        record, context = self._record, self._context
        earlier = context.job_span(self._id, self._run - 1) if self._run > 1 else context.parent
        return Span(
            trace_id=context.trace_id,
            span_id=context.job_span(self._id, self._run),
            parent=earlier,
            name=f"job {record.job.kind}",
            began=self._began,
            ended=self._ended,
            attributes=self._job_attributes(),
            links=_links_to(record, TraceContext.read(parent_trace)),
            failed=record.state is JobState.FAILED,
        )

    def _job_attributes(self) -> Attributes:
        record, job = self._record, self._record.job
        return known(
            {
                "hopline.job.id": job.id,
                "hopline.job.kind": job.kind,
                "hopline.job.run": self._run,
                "hopline.job.state": record.state.value,
                "hopline.job.strategy": job.params.get("strategy"),
                "hopline.job.priority": job.priority,
                "hopline.collection": job.collection,
                "hopline.caller": job.caller or None,
                "hopline.request.id": job.request_id or None,
                "hopline.question": job.params.get("question") if self._texts else None,
                "hopline.model.calls": record.usage.model_calls,
                "hopline.cost": record.usage.cost,
                "hopline.leases.lost": record.leases_lost,
                "hopline.items.dead": record.dead,
                "hopline.timeline.cut": self._cut or None,
                "gen_ai.usage.input_tokens": record.usage.prompt_tokens,
                "gen_ai.usage.output_tokens": record.usage.completion_tokens,
            }
        )

    def _phase(self, number: int, items: Sequence[TimedItem]) -> Span:
        began = max(self._began, self._moment(min(item.opened for item in items)))
        ended = max(self._end_of(item) for item in items)
        return Span(
            trace_id=self._context.trace_id,
            span_id=self._context.phase_span(self._id, self._epoch, number),
            parent=self._context.job_span(self._id, self._run),
            name=f"phase {items[0].step}",
            began=began,
            ended=max(began, ended),
            attributes={
                "hopline.phase": number,
                "hopline.items": len(items),
                "hopline.phase.closed": number in self._timeline.closed,
            },
        )

    def _end_of(self, item: TimedItem) -> int:
        last = item.attempts[-1].ended
        return self._ended if last is None else self._moment(last)

    def _item(self, item: TimedItem) -> Iterator[Span]:
        span_id = self._context.item_span(self._id, self._epoch, item.item)
        last = item.attempts[-1]
        began = self._moment(item.began)
        yield Span(
            trace_id=self._context.trace_id,
            span_id=span_id,
            parent=self._context.phase_span(self._id, self._epoch, item.phase),
            name=item.step,
            began=began,
            ended=max(began, self._end_of(item)),
            attributes={
                "hopline.item.id": self._shown(item),
                "hopline.step": item.step,
                "hopline.attempts": len(item.attempts),
                "hopline.waited": round(item.waited, 6),
                "hopline.tokens": item.tokens,
            },
            events=tuple(self._events(item.attempts)),
            links=_links_to_child(self._id, item.item) if item.item in self._delegated else (),
            failed=last.how in ("failed", "dead"),
        )
        yield from self._waits(item, span_id)

    def _shown(self, item: TimedItem) -> str:
        """Return an item's id; of a document's, without the end of its address where texts are not shown."""
        is_named = item.step == _DOCUMENT and not self._texts
        return item.item.partition(":")[0] if is_named else item.item

    def _events(self, attempts: Sequence[Attempt]) -> Iterator[SpanEvent]:
        """Give the beginnings of attempts, and what ended those that did not succeed."""
        for number, attempt in enumerate(attempts, start=1):
            attributes: Attributes = {"hopline.attempt": number}
            yield SpanEvent(name="attempt.begun", at=self._moment(attempt.began), attributes=attributes)
            if attempt.ended is None or attempt.how in ("running", "done"):
                continue
            name = "lease.lost" if attempt.how == "lost" else f"attempt.{attempt.how}"
            yield SpanEvent(
                name=name, at=self._moment(attempt.ended), attributes=attributes | self._reason(attempt.why)
            )

    def _reason(self, why: str | None) -> Attributes:
        """Return the class of an error, and its message only if texts are included."""
        if not why:
            return {}
        kind = class_of(why)
        named: Attributes = {"error.type": kind} if kind else {}
        return named | ({"error.message": why} if self._texts else {})

    def _waits(self, item: TimedItem, span_id: str) -> Iterator[Span]:
        """Give the times between attempts: an item is held, or waits for a worker."""
        for number, (before, after) in enumerate(pairwise(item.attempts), start=1):
            if before.ended is None or after.began <= before.ended:
                continue
            yield Span(
                trace_id=self._context.trace_id,
                span_id=self._context.part_span(span_id, f"wait {number}"),
                parent=span_id,
                name="wait",
                began=self._moment(before.ended),
                ended=self._moment(after.began),
                attributes={"hopline.wait.after": before.how},
            )


def _nanoseconds(seconds: float) -> int:
    """Return whole microseconds, which is as far as the fraction reaches, in nanoseconds."""
    return round(seconds * _MICRO) * _OF_NANO


def _last_run(entries: Sequence[tuple[str, Event]]) -> Sequence[tuple[str, Event]]:
    """Return the events since the job was last opened again."""
    opened = [at for at, (_, event) in enumerate(entries) if event.name == _RETRIED]
    return entries[opened[-1] :] if opened else entries


def _is_delegated(event: Event) -> bool:
    """Return whether a child job did the item: its event then has no duration."""
    return event.name == ItemDone.event and event.data.get("ms") is None


def _by_phase(timeline: Timeline) -> dict[int, list[TimedItem]]:
    phases: dict[int, list[TimedItem]] = {}
    for item in timeline.items:
        phases.setdefault(item.phase, []).append(item)
    return dict(sorted(phases.items()))


def _links_to(record: JobRecord, parent: TraceContext | None) -> tuple[SpanLink, ...]:
    if record.parent is None or parent is None:
        return ()
    span = parent.item_span(record.parent.job_id, record.parent.epoch, record.parent.item_id)
    return (SpanLink(trace_id=parent.trace_id, span_id=span),)


def _links_to_child(job_id: str, item_id: str) -> tuple[SpanLink, ...]:
    child = child_job_id(job_id, item_id)
    context = TraceContext(trace_id=trace_id_of(child))
    return (SpanLink(trace_id=context.trace_id, span_id=context.job_span(child, _LINKED_FIRST)),)
