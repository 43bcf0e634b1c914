"""Flow of a batch: each document is a job of its own, with a limited number in flight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from workers.core.jobs.batches import WHOLE, DocumentLine
from workers.core.jobs.flow import PAGE, Flow, Line, Results, Step, why_failed
from workers.core.jobs.params import BatchParams, DocumentParams
from workers.core.jobs.work import (
    ChildJob,
    Done,
    End,
    Item,
    Job,
    JobState,
    Json,
    Listed,
    Outcome,
    Phase,
)
from workers.core.ports import Ports
from workers.flows.document import TYPED
from workers.flows.prefill import PREFILL_STEP, delegate_prefill, prefill_phase
from workers.ingest.report import report_batch

_DOCUMENT, _REPORT = "ingest.document", "ingest.report"
_NAME_SHOWN = 60  # characters of an address that an item's id shows


def documents_phase(documents: Sequence[DocumentParams], window: int) -> Phase:
    """Return a batch's first phase, built at submission, since the job's parameters do not hold the list."""
    return Phase(items=tuple(document_item(at, one) for at, one in enumerate(documents)), window=window)


def first_phase(manifest: str, size: int, window: int, via: str = "calls") -> Phase:
    """Return the first phase of a batch whose list is stored already."""
    by_provider = via == "batch"
    return prefill_phase(manifest, size, window) if by_provider else listed_phase(manifest, size, window)


def listed_phase(manifest: str, size: int, window: int) -> Phase:
    """Return the phase of documents whose list is stored already."""
    return Phase(listed=Listed(reference=manifest, size=size, step=_DOCUMENT), window=window)


def document_item(at: int, document: DocumentParams) -> Item:
    """Return the item of the document at a place of the list, from 0."""
    shown = "".join(c if c.isprintable() else "?" for c in document.uri[-_NAME_SHOWN:])
    return Item(id=f"{at}:{shown}", step=_DOCUMENT, input=document.model_dump(mode="json"))


def delegate_document(given: Json, _ports: Ports) -> Outcome:
    """Step ingest.document: delegates the document to a job of its own."""
    return Outcome(delegate=ChildJob(kind="document", params=given))


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    prefilled = _prefilled(results)
    if phase == 0 and prefilled and not why_failed(prefilled):
        window = prefilled.result["outcome"]["window"]
        return listed_phase(job.params["manifest"], job.params["documents"], window)
    documents = 1 if job.params.get("via") == "batch" else 0  # their phase; where none began, the one before
    if job.params.get("name") and phase <= documents:
        pages, lines = _pages(results), [line.model_dump(mode="json") for line in _lines(results)]
        given = {"pages": pages, "lines": lines}
        return Phase(items=(Item(id="report", step=_REPORT, input=given),))
    return _end(results, job, None)


def _of(step: str, results: Results) -> list[Done]:
    return [done for phase in results.values() for done in phase if done.step == step]


def _prefilled(results: Results) -> Done | None:
    """Return the results of the provider's batch mode, if the batch uses it."""
    return next(iter(_of(PREFILL_STEP, results)), None)


def _pages(results: Results) -> list[str]:
    return [one.result["reference"] for one in _of(PAGE, results)]


def _lines(results: Results) -> list[DocumentLine]:
    return [line_of(one) for one in sorted(_of(_DOCUMENT, results), key=_position)]


def _end(results: Results, job: Job, reason: str | None) -> End:
    lines, pages = _lines(results), _pages(results)
    counts = Counter(line.status for line in lines)
    for page in _of(PAGE, results):
        counts.update(page.result["counts"])
    total = int(job.params["documents"])
    missing = total - counts.total()
    whole = sum(counts[status] for status in WHOLE)
    if missing:
        counts["not done"] = missing
    if whole == total:
        state = JobState.DONE
    else:
        state = JobState.PARTIAL if whole + counts["partial"] else JobState.FAILED
    outcome: Json = {"documents": [line.model_dump(mode="json") for line in lines], "counts": dict(counts)}
    outcome |= {"pages": pages} if pages else {}
    if prefilled := _prefilled(results):
        reason = reason or why_failed(prefilled)
        outcome["provider"] = prefilled.result.get("outcome") or {}
    return End(state=state, outcome={**outcome, "reason": reason} if reason else outcome)


def _position(done: Done) -> int:
    found = done.item_id.partition(":")[0]
    return int(found) if found.isdigit() else 0


def line_of(done: Done) -> DocumentLine:
    """Return a document's line of the report; what its job ended without (cancelled, lost) is filled in."""
    outcome: Json = done.result.get("outcome") or {}
    status = outcome.get("status") or ("cancelled" if done.result.get("state") == "cancelled" else "failed")
    error = outcome.get("error") or outcome.get("reason") or done.error
    return DocumentLine(
        uri=outcome.get("uri") or done.item_id.partition(":")[2],
        title=outcome.get("title", ""),
        document_id=outcome.get("document_id", ""),
        status=status,
        chunks=outcome.get("chunks", 0),
        facts=outcome.get("facts", 0),
        kept=outcome.get("kept", 0),
        seconds=done.result.get("seconds", 0.0),
        ended=done.result.get("ended", 0.0),
        error=error if status not in WHOLE else None,
        failed_chunks=tuple(outcome.get("failed_chunks", ())),
        **{name: outcome[name] for name in TYPED if name in outcome},
    )


def _line(done: Done) -> Line:
    line = line_of(done)
    again = line.status not in WHOLE
    told = line.model_dump(mode="json", exclude_defaults=True) | {"status": line.status}
    return Line(status=line.status, told=told, again=again)


BATCH = Flow(
    kind="batch",
    params=BatchParams,
    steps={
        PREFILL_STEP: Step(run=delegate_prefill, queue="bulk", priority=6),
        _DOCUMENT: Step(run=delegate_document, queue="bulk", priority=6),
        _REPORT: Step(run=report_batch, queue="bulk", time_limit=600),
    },
    first=lambda _job: Phase(items=()),
    advance=_advance,
    cut_short=_end,
    budget=lambda job: BatchParams.read_stored(job.params).budget,
    pauses=True,
    line=_line,
    listed_steps=(_DOCUMENT,),
)
