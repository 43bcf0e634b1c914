"""Lays out a report as headings and tables, for text, Markdown and HTML alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hopline.errors import plain_error
from hopline.models.batches import WHOLE
from hopline.models.reports import Cause, Report
from hopline.models.times import seconds_between
from hopline.views.words import day_clock, lasting, moment, money, number, share

# In this order wherever outcomes are shown, with what each means.
OUTCOMES = {
    "done": "went in",
    "unchanged": "were there already",
    "partial": "went in without some of their chunks",
    "failed": "did not go in",
    "cancelled": "were cancelled",
    "not done": "were not begun, or not ended",
}
_CHUNKS = {"read": "read", "kept": "of these from stored model replies", "failed": "failed"}
_KINDS = {"document": "documents", "chunk": "chunks", "source": "no documents"}
_SHORT = 60.0  # seconds: the progress of shorter batches is not shown by periods
_ROWS = 24  # of the throughput in a table
_SOURCES = 5


@dataclass(frozen=True)
class Section:
    """A heading with a table; the first column is text, those named in `figures` are numbers."""

    key: str  # a chart of this name stands above the table
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    figures: frozenset[int] = frozenset()
    note: str = ""
    command: str = ""  # to be run by who reads it


def headline(report: Report) -> str:
    """Return the report in one sentence."""
    sentence = f"{number(report.whole)} of {number(report.listed)} documents are in the graph"
    left = [
        f"{number(count)} {OUTCOMES.get(status, status)}"
        for status, count in report.documents.items()
        if count and status not in WHOLE
    ]
    left += [f"{number(report.refused)} named places hold no document"] if report.refused else []
    so_far = "So far " if report.running else ""
    return so_far + sentence + (": " + "; ".join(left) if left else "") + "."


def sections(report: Report) -> list[Section]:
    """Return the non-empty parts in reading order."""
    parts: tuple[Callable[[Report], Section], ...] = (
        _overview,
        _documents,
        _chunks,
        _causes,
        _throughput,
        _model,
        _waiting,
        _pauses,
        _slowest,
        _hubs,
    )
    return [section for section in (part(report) for part in parts) if section.rows]


def _overview(report: Report) -> Section:
    seconds = seconds_between(report.created, report.ended)
    chunks = report.chunks.get("read", 0)
    rows = [
        ("collection", report.collection),
        ("from", _sources(report.sources)),
        ("began", moment(report.created)),
        ("last document" if not report.running else "so far", moment(report.ended)),
        ("took", lasting(seconds)),
        ("facts", number(report.facts)),
        ("chunks a second", f"{chunks / seconds:,.1f}" if seconds else ""),
        ("key elements added", _added(report)),
        ("workers lost at work", number(report.leases_lost) if report.leases_lost else ""),
        ("job", report.job_id),
    ]
    return Section("overview", "Overview", ("", ""), tuple((name, text) for name, text in rows if text))


def _sources(named: tuple[str, ...]) -> str:
    more = len(named) - _SOURCES
    return ", ".join(named[:_SOURCES]) + (f" and {number(more)} more" if more > 0 else "")


def _added(report: Report) -> str:
    before, after = report.before, report.after
    if before is None or after is None:
        return "not counted"
    added = number(after.elements - before.elements)
    return f"{added} ({number(before.elements)} before, {number(after.elements)} after)"


def _documents(report: Report) -> Section:
    total = sum(report.documents.values())
    order = {**dict.fromkeys(OUTCOMES, 0), **report.documents}
    rows = tuple(
        (status, number(count), share(count, total), OUTCOMES.get(status, ""))
        for status, count in order.items()
        if count
    )
    head = ("outcome", "documents", "share", "which")
    return Section("documents", "Documents", head, rows, frozenset((1, 2)))


def _chunks(report: Report) -> Section:
    counts = {label: report.chunks.get(name, 0) for name, label in _CHUNKS.items()}
    total = report.chunks.get("read", 0) + report.chunks.get("failed", 0)
    rows = tuple((label, number(count), share(count, total)) for label, count in counts.items() if total)
    note = "A stored reply costs no model call: the same text was read before with the same prompt and model."
    return Section("chunks", "Chunks", ("", "chunks", "share"), rows, frozenset((1, 2)), note)


def _causes(report: Report) -> Section:
    rows = tuple(
        (plain_error(cause.cause), number(cause.count), _KINDS[cause.kind], _example(cause))
        for cause in report.causes
    )
    note = "URL, PATH, ID, N and … stand for what differs. Sources that are not documents are not retried."
    if report.causes_left_out:
        note += f" {number(report.causes_left_out)} further failures are not listed."
    head = ("cause", "failures", "of", "for example")
    return Section("causes", "What failed, and why", head, rows, frozenset((1,)), note, report.retry)


def _example(cause: Cause) -> str:
    if not cause.examples:
        return ""
    first = cause.examples[0]
    return f"{first.uri}: {plain_error(first.error)}"


def _throughput(report: Report) -> Section:
    if seconds_between(report.created, report.ended) < _SHORT:
        return Section("throughput", "Over time", (), ())  # the overview says all there is to say
    several = -(-len(report.periods) // _ROWS)
    rows = tuple(_period(report, at, several) for at in range(0, len(report.periods), several or 1))
    head = ("from", "documents", "chunks", "chunks a minute", "not wholly in")
    note = f"A row of the table is {lasting(several * report.period_seconds)}."
    return Section("throughput", "Over time", head, rows, frozenset((1, 2, 3, 4)), note)


def _period(report: Report, first: int, several: int) -> tuple[str, ...]:
    periods = report.periods[first : first + several]
    chunks = sum(period.chunks for period in periods)
    return (
        day_clock(periods[0].start),
        number(sum(period.documents for period in periods)),
        number(chunks),
        number(round(60 * chunks / (len(periods) * report.period_seconds))),
        number(sum(period.failed for period in periods)),
    )


def _model(report: Report) -> Section:
    usage = report.usage
    rows = (
        ("calls", number(usage.model_calls)),
        ("tokens in", number(usage.prompt_tokens)),
        ("tokens out", number(usage.completion_tokens)),
        ("cost", money(usage.cost)),
        ("stored replies", number(report.chunks.get("kept", 0))),
    )
    return Section("model", "Model calls", ("", ""), rows, frozenset((1,)))


def _waiting(report: Report) -> Section:
    ordered = sorted(report.waited.items(), key=lambda pair: -pair[1])
    rows = tuple((name, lasting(seconds)) for name, seconds in ordered if seconds > 0)
    note = "Summed over all calls that a limit held back, many of them at the same time."
    return Section("waiting", "Waiting for limits", ("limit", "waited"), rows, frozenset((1,)), note)


def _pauses(report: Report) -> Section:
    rows = tuple(
        (
            pause.kind,
            moment(pause.since),
            "still" if pause.until is None else lasting(seconds_between(pause.since, pause.until)),
            pause.why,
        )
        for pause in report.pauses
    )
    return Section("pauses", "Pauses", ("kind", "since", "for", "why"), rows)


def _slowest(report: Report) -> Section:
    rows = tuple(
        (document.title or document.uri, lasting(document.seconds), number(document.chunks), document.uri)
        for document in report.slowest
    )
    head = ("document", "took", "chunks", "where from")
    note = "From the document's admission to its end, waiting included."
    return Section("slowest", "Slowest documents", head, rows, frozenset((1, 2)), note)


def _hubs(report: Report) -> Section:
    rows = tuple(
        (
            hub.name,
            "few" if hub.before is None else number(hub.before),
            number(hub.after),
            _times(hub.before, hub.after),
        )
        for hub in report.hubs
    )
    head = ("key element", "facts before", "after", "grew")
    note = "Searches give less weight to key elements that very many facts share."
    return Section("hubs", "Very frequent key elements that grew", head, rows, frozenset((1, 2, 3)), note)


def _times(before: int | None, after: int) -> str:
    return f"× {after / before:,.1f}" if before else ""


def texts(cells: Iterable[object]) -> list[str]:
    """Return cells in one line each."""
    return [" ".join(str(cell).split()) for cell in cells]
