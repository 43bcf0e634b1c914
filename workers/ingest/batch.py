"""Flow of a batch: each document gets its own job, with a limited number in flight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hopline.models.batches import WHOLE
from hopline.models.jobs import JobState, Json
from hopline.models.reports import DocumentLine
from hopline.models.times import STORED, timestamp
from workers.core.jobs.flow import PAGE, Flow, Line, Results, Step, done_of, why_failed
from workers.core.jobs.params import BatchParams, DocumentParams
from workers.core.jobs.result_pages import PageResult
from workers.core.jobs.work import ChildJob, ChildResult, Done, End, Item, Job, Listed, Outcome, Phase
from workers.core.ports import Ports
from workers.ingest.flow import TYPED
from workers.ingest.provider.prefill import PREFILL_STEP, PrefillParams, delegate_prefill, prefill_phase
from workers.ingest.report import ReportInput, ReportResult, report_batch

_DOCUMENT, _REPORT = "ingest.document", "ingest.report"
_NAME_SHOWN = 60  # characters of an address that an item's id shows


def documents_phase(documents: Sequence[DocumentParams], window: int) -> Phase:
    """Return a batch's first phase, built at submission, as the job's parameters do not contain the list."""
    return Phase(
        items=tuple(document_item(at, document) for at, document in enumerate(documents)), window=window
    )


def first_phase(manifest: str, size: int, window: int, via: str = "calls") -> Phase:
    """Return the first phase of a batch whose list is already stored."""
    by_provider = via == "batch"
    return prefill_phase(manifest, size, window) if by_provider else listed_phase(manifest, size, window)


def listed_phase(manifest: str, size: int, window: int) -> Phase:
    """Return the phase of documents whose list is already stored."""
    return Phase(listed=Listed(reference=manifest, size=size, step=_DOCUMENT), window=window)


def document_item(at: int, document: DocumentParams) -> Item:
    """Return the item of the document at a position in the list, from 0."""
    shown = "".join(c if c.isprintable() else "?" for c in document.uri[-_NAME_SHOWN:])
    return Item(id=f"{at}:{shown}", step=_DOCUMENT, input=document.model_dump(mode="json"))


def delegate_document(document: DocumentParams, _ports: Ports) -> Outcome:
    """Step ingest.document: delegates the document to a separate job."""
    return Outcome(delegate=ChildJob(kind="document", params=document.model_dump(mode="json")))


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    prefilled = _prefilled(results)
    if phase == 0 and prefilled and not why_failed(prefilled):
        window = ChildResult.read_stored(prefilled.result).outcome["window"]
        return listed_phase(job.params["manifest"], job.params["documents"], window)
    documents = 1 if job.params.get("via") == "batch" else 0  # their phase; where none began, the one before
    if job.params.get("name") and phase <= documents:
        pages = tuple(page.reference for page in _pages(results))
        ended = ReportInput(pages=pages, lines=tuple(_lines(results)))
        return Phase(items=(Item(id="report", step=_REPORT, input=ended),))
    return _end(results, job, None)


def _prefilled(results: Results) -> Done | None:
    """Return the results of the provider's batch mode, if the batch uses it."""
    return next(iter(done_of(results, PREFILL_STEP)), None)


def _pages(results: Results) -> list[PageResult]:
    return [PageResult.read_stored(done.result) for done in done_of(results, PAGE)]


def _lines(results: Results) -> list[DocumentLine]:
    return [line_of(done) for done in sorted(done_of(results, _DOCUMENT), key=_position)]


def _end(results: Results, job: Job, reason: str | None) -> End:
    lines, pages = _lines(results), _pages(results)
    counts = Counter(line.status for line in lines)
    for page in pages:
        counts.update(page.counts)
    total = int(job.params["documents"])
    missing = total - counts.total()
    whole = sum(counts[status] for status in WHOLE)
    if missing:
        counts["not done"] = missing
    if whole == total:
        state = JobState.DONE
    else:
        state = JobState.PARTIAL if whole + counts["partial"] else JobState.FAILED
    outcome: Json = {
        "documents": [line.model_dump(mode="json", context=STORED) for line in lines],
        "counts": dict(counts),
    }
    outcome |= {"pages": [page.reference for page in pages]} if pages else {}
    if prefilled := _prefilled(results):
        reason = reason or why_failed(prefilled)
        outcome["provider"] = ChildResult.read_stored(prefilled.result).outcome
    return End(state=state, outcome={**outcome, "reason": reason} if reason else outcome)


def _position(done: Done) -> int:
    place = done.item_id.partition(":")[0]
    return int(place) if place.isdigit() else 0


def line_of(done: Done) -> DocumentLine:
    """Return a document's line in the report; missing outcomes (cancelled, lost) are filled in."""
    child = ChildResult.read_stored(done.result)
    outcome = child.outcome
    status = outcome.get("status") or ("cancelled" if child.state is JobState.CANCELLED else "failed")
    error = outcome.get("error") or outcome.get("reason") or done.error
    return DocumentLine(
        uri=outcome.get("uri") or done.item_id.partition(":")[2],
        title=outcome.get("title", ""),
        document_id=outcome.get("document_id", ""),
        status=status,
        chunks=outcome.get("chunks", 0),
        facts=outcome.get("facts", 0),
        kept=outcome.get("kept", 0),
        seconds=child.seconds,
        ended=timestamp(child.ended) if child.ended else None,
        error=error if status not in WHOLE else None,
        failed_chunks=tuple(outcome.get("failed_chunks", ())),
        doubts=tuple(outcome.get("doubts", ())),
        original=outcome.get("original"),
        **{name: outcome[name] for name in TYPED if name in outcome},
    )


def _line(done: Done) -> Line:
    line = line_of(done)
    again = line.status not in WHOLE
    data = line.model_dump(mode="json", exclude_defaults=True, context=STORED) | {"status": line.status}
    return Line(status=line.status, data=data, again=again)


BATCH = Flow(
    kind="batch",
    params=BatchParams,
    steps={
        PREFILL_STEP: Step(
            delegate_prefill,
            PrefillParams,
            ChildResult,
            activity="asking the model's batch mode",
            queue="bulk",
            priority=6,
        ),
        _DOCUMENT: Step(
            delegate_document,
            DocumentParams,
            ChildResult,
            activity="ingesting documents",
            queue="bulk",
            priority=6,
        ),
        _REPORT: Step(
            report_batch,
            ReportInput,
            ReportResult,
            activity="writing the report",
            queue="bulk",
            time_limit=600,
        ),
    },
    first=lambda _job: Phase(items=()),
    advance=_advance,
    cut_short=_end,
    budget=lambda params: params.budget,
    pauses=True,
    line=_line,
    listed_steps=(_DOCUMENT,),
)
