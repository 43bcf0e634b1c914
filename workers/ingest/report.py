"""Step ingest.report: builds a batch's report from its documents' lines, page by page."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from typing import Annotated, Literal

import orjson
import structlog

from hopline.errors import Permanent
from hopline.events.documents import BatchReported
from hopline.models.base import Frozen
from hopline.models.batches import WHOLE
from hopline.models.jobs import Json
from hopline.models.reports import Cause, DocumentLine, FailureExample, Growth, Period, Report, Slow
from hopline.models.times import STORED, timestamp
from workers.core.jobs.report import BatchFacts, hubs_grown
from workers.core.jobs.result_pages import get_entries, unfold_pages
from workers.core.jobs.work import Outcome
from workers.core.ports import Blobs, Ports
from workers.core.records import IN_FULL

_SLOWEST = 10
_FAILED_CHUNKS = re.compile(r"(\d+) of \d+ chunks failed")  # a document's error; its list is cut
_READ = frozenset(("done", "partial"))

_log = structlog.get_logger()
_MOST = 180  # periods that are shown
# Seconds; each divides the next, so that no period falls into two.
_WIDTHS = (1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 21600, 86400)
_MOST_CAUSES = 300  # kept separately; beyond these, only their number is kept
_SHOWN = 40
_EXAMPLES = 3
_ERROR = 300  # characters of an error in an example
_CAUSE = 160
_SHORTEST_NAME = 4  # of an address that is looked for in its error
_RULES = (
    (re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s'\"<>,;)\]]+", re.IGNORECASE), "URL"),
    (re.compile(r"(?<![\w.])(?:~|\.{1,2}|[A-Za-z]:)?(?:[\\/][^\s'\"<>|:,;)\]]+)+"), "PATH"),
    (re.compile(r"(?<!\w)'[^'\n]{0,2000}'(?!\w)|\"[^\"\n]{0,2000}\"|“[^”\n]{0,2000}”|`[^`\n]{0,2000}`"), "…"),
    (re.compile(r"\b0x[0-9a-f]+\b", re.IGNORECASE), "ID"),
    (re.compile(r"\b(?=\w*\d)[0-9a-f]{4,}(?:-[0-9a-f]{4,})+\b", re.IGNORECASE), "ID"),
    (re.compile(r"\b(?=[0-9a-z]*\d)(?=[0-9a-z]*[a-z])[0-9a-z]{8,}\b", re.IGNORECASE), "ID"),
    # A status of HTTP in brackets is a cause, and not a number.
    (re.compile(r"(?<![A-Za-z\d])(?!(?<=\()[45]\d\d\))\d+(?:[.,:]\d+)*"), "N"),
)
_SPACE = re.compile(r"\s+")
Kind = Literal["document", "chunk", "source"]


class ReportInput(Frozen):
    """What became of a batch's documents."""

    pages: tuple[str, ...]  # blobs of lines
    lines: tuple[Annotated[DocumentLine, IN_FULL], ...]  # those that lie in no page


class ReportResult(Frozen):
    """The report of a batch."""

    report: str  # blob; "" for a batch without a name


def report_batch(ended: ReportInput, ports: Ports) -> Outcome:
    """Make the report of a named batch and enter it into the batch's record."""
    facts = ports.books.of_job(ports.job.id)
    if facts is None:
        return Outcome(result=ReportResult(report=""))
    lines = chain(lines_of(ports.blobs, ended.pages), ended.lines)
    after = ports.graph.growth(ports.job.collection)
    report = make_report(facts, lines, refused_of(ports.blobs, facts), after)
    reference = ports.blobs.put(report.model_dump_json(context=STORED).encode("utf-8"), ".json")
    ports.books.enter(facts.record.name, ports.job.id, reference)
    reported = BatchReported(batch=report.name, documents=report.documents)
    return Outcome(result=ReportResult(report=reference), events=(reported,))


def lines_of(blobs: Blobs, pages: Iterable[str]) -> Iterator[DocumentLine]:
    """Yield the lines of pages, one page in memory at a time; log a lost page."""
    for page in unfold_pages(blobs, pages):
        try:
            entries = get_entries(blobs, page)
        except Permanent as error:
            _log.warning("page.lost", page=page, error=str(error))
            continue
        yield from (DocumentLine.read_stored(entry.line) for entry in entries)


def refused_of(blobs: Blobs, facts: BatchFacts) -> list[tuple[str, str]]:
    """Return (place, reason) of each listed entry that was refused."""
    if not facts.record.refused:
        return []
    return [(entry["place"], entry["reason"]) for entry in orjson.loads(blobs.get(facts.record.refused))]


def make_report(
    facts: BatchFacts,
    lines: Iterable[DocumentLine],
    refused: Iterable[tuple[str, str]] = (),
    after: Growth | None = None,
    *,
    running: bool = False,
) -> Report:
    """Return the report that these lines, each seen once and then forgotten, add up to.

    Args:
        facts: facts from the ledger.
        lines: lines of the documents that have ended.
        refused: (place, reason) of what was listed and is no document.
        after: the graph now; None if it was not counted.
        running: it is made before the end.
    """
    seen = _Seen()
    for line in lines:
        seen.add(line)
    seen.refuse(refused)
    record = facts.record
    missing = record.documents - seen.documents.total()
    documents = dict(seen.documents) | ({"not done": missing} if missing > 0 else {})
    before = Growth(elements=record.elements, hubs=record.hubs) if record.elements is not None else None
    return Report(
        name=record.name,
        job_id=record.job_id,
        collection=record.collection,
        sources=record.sources,
        running=running,
        created=timestamp(record.created or facts.created),
        ended=seen.last or datetime.now(UTC),
        listed=record.documents,
        documents=documents,
        usage=facts.usage,
        waited=facts.waited,
        pauses=facts.pauses,
        leases_lost=facts.leases_lost,
        before=before,
        after=after,
        hubs=hubs_grown(before, after),
        **seen.totals(),
    )


def _failed_chunks(line: DocumentLine) -> int:
    match = _FAILED_CHUNKS.match(line.error or "")
    return max(len(line.failed_chunks), int(match[1]) if match else 0)


class _Seen:
    """Running summary of the lines: sums, the slowest, periods of time and causes."""

    def __init__(self) -> None:
        self.documents: Counter[str] = Counter()
        self.causes = Causes()
        self.last: datetime | None = None
        self._refused = 0
        self._chunks: Counter[str] = Counter()
        self._facts = 0
        self._night = Night()
        self._slowest: list[tuple[float, str, str, int]] = []  # a heap, the least slow first

    def add(self, line: DocumentLine) -> None:
        self.documents[line.status] += 1
        self.last = max(filter(None, (self.last, line.ended)), default=None)
        failed = _failed_chunks(line)
        # Of others the line tells what the graph held before.
        read, facts = (max(0, line.chunks - failed), line.facts) if line.status in _READ else (0, 0)
        if line.ended:  # it was begun
            self._night.add(line.ended.timestamp(), read, failed=line.status not in WHOLE)
        self._chunks.update(read=read, kept=line.kept, failed=failed)
        self._facts += facts
        heapq.heappush(self._slowest, (line.seconds, line.uri, line.title, line.chunks))
        if len(self._slowest) > _SLOWEST:
            heapq.heappop(self._slowest)
        if line.failed_chunks:
            self.causes.add_all("chunk", ((line.uri, chunk.error) for chunk in line.failed_chunks))
            self.causes.left_out += failed - len(line.failed_chunks)
        elif line.status not in WHOLE:
            self.causes.add("document", line.uri, line.error or "")

    def refuse(self, places: Iterable[tuple[str, str]]) -> None:
        for place, reason in places:
            self._refused += 1
            self.causes.add("source", place, reason)

    def totals(self) -> Json:
        slowest = [
            Slow(uri=uri, title=title, seconds=seconds, chunks=chunks)
            for seconds, uri, title, chunks in sorted(self._slowest, reverse=True)
            if seconds > 0
        ]
        causes = self.causes.ranked()
        return {
            "chunks": dict(self._chunks),
            "facts": self._facts,
            "refused": self._refused,
            "period_seconds": self._night.width,
            "periods": self._night.periods(),
            "slowest": tuple(slowest),
            "causes": causes,
            "causes_left_out": self.causes.left_out,
        }


@dataclass
class Night:
    """Counts by periods that grow wider as the time gets longer.

    Attributes:
        width: seconds of a period.
    """

    width: int = _WIDTHS[0]
    _counted: dict[int, list[int]] = field(default_factory=dict)  # number -> documents, chunks, failed

    def add(self, at: float, chunks: int, *, failed: bool) -> None:
        """Count a document that ended at this time, in seconds since the epoch."""
        self._count(int(at // self.width), (1, chunks, int(failed)))
        while max(self._counted) - min(self._counted) >= _MOST:
            self._widen()

    def _count(self, number: int, more: tuple[int, ...] | list[int]) -> None:
        counted = self._counted.setdefault(number, [0, 0, 0])
        for at, amount in enumerate(more):
            counted[at] += amount

    def _widen(self) -> None:
        before, width = self._counted, self.width
        self.width = next((candidate for candidate in _WIDTHS if candidate > width), 2 * width)
        self._counted = {}
        for number, counted in before.items():
            self._count(number * width // self.width, counted)

    def periods(self) -> tuple[Period, ...]:
        """Return the periods from the first to the last, empty ones between included."""
        if not self._counted:
            return ()
        none = [0, 0, 0]
        numbers = range(min(self._counted), max(self._counted) + 1)
        return tuple(
            Period(start=timestamp(number * self.width), documents=documents, chunks=chunks, failed=failed)
            for number in numbers
            for documents, chunks, failed in (self._counted.get(number, none),)
        )


def cause_of(error: str, uri: str = "") -> str:
    """Return an error with its varying parts replaced by URL, PATH, ID, N and ….

    Args:
        error: as it was reported. A path in it ends at a space or a colon.
        uri: the document's; however it is written, it is a path.
    """
    named = error.replace(uri, "PATH") if len(uri) >= _SHORTEST_NAME else error
    text = _SPACE.sub(" ", named).strip()
    for pattern, sign in _RULES:
        text = pattern.sub(sign, text)
    return text[:_CAUSE] or "no reason recorded"


@dataclass
class _Group:
    count: int = 0
    documents: int = 0
    last: str = ""  # the document that was counted last
    examples: list[FailureExample] = field(default_factory=list)

    def add(self, uri: str, error: str) -> None:
        self.count += 1
        if uri != self.last:
            self.documents += 1
            self.last = uri
            if len(self.examples) < _EXAMPLES:
                self.examples.append(FailureExample(uri=uri, error=_SPACE.sub(" ", error).strip()[:_ERROR]))


class Causes:
    """Counts failures by cause, in bounded memory.

    Attributes:
        left_out: failures of more causes than are told apart.
    """

    def __init__(self) -> None:
        self.left_out = 0
        self._groups: dict[tuple[Kind, str], _Group] = {}

    def add(self, kind: Kind, uri: str, error: str) -> None:
        """Count one entry; entries of the same document follow one another."""
        key = kind, cause_of(error, uri)
        if key not in self._groups and len(self._groups) >= _MOST_CAUSES:
            self.left_out += 1
            return
        self._groups.setdefault(key, _Group()).add(uri, error)

    def add_all(self, kind: Kind, places: Iterable[tuple[str, str]]) -> None:
        """Count some, each (uri, error)."""
        for uri, error in places:
            self.add(kind, uri, error)

    def ranked(self) -> tuple[Cause, ...]:
        """Return the causes, most frequent first."""
        ordered = sorted(self._groups.items(), key=lambda group: (-group[1].count, group[0]))
        self.left_out += sum(group.count for _, group in ordered[_SHOWN:])
        del ordered[_SHOWN:]
        self._groups = dict(ordered)
        return tuple(
            Cause(
                kind=kind,
                cause=cause,
                count=group.count,
                documents=group.documents,
                examples=tuple(group.examples),
            )
            for (kind, cause), group in ordered
        )
