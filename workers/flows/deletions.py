"""Flows that delete several documents: those that pass a filter, or a whole collection.

Three steps: select, delete (an item for each document), and remove the collection's other data. Each may be
repeated after a crash. If a document could not be deleted, or was added in the meantime, the collection's
other data stays.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import islice

from hopline.models.jobs import JobState, Json
from hopline.models.reports import DocumentLine
from workers.core.jobs.flow import PAGE, Flow, Line, Results, Step, result_of
from workers.core.jobs.params import DeletionParams
from workers.core.jobs.result_pages import PageResult
from workers.core.jobs.work import Done, End, Item, Job, Listed, NoInput, Phase
from workers.flows.one_step import DELETE, NEEDS
from workers.ingest.delete import (
    WINDOW,
    DeleteResult,
    ForgetResult,
    SelectResult,
    forget_collection,
    select_documents,
)

SELECT, REMOVE, FORGET = range(3)
_DELETE = "ingest.delete"
_LISTED = 50  # of what failed, in the outcome
_HOURS = 3600.0


def _advance(whole: bool, phase: int, results: Results, job: Job) -> Phase | End:  # noqa: FBT001 - bound by name
    if phase == SELECT:
        selected = next((result_of(done, SelectResult) for done in results.get(SELECT, ())), None)
        if selected is None:
            return _end(whole, results, job, _error(results, SELECT))
        if not selected.selected.size:  # a phase without items stands for it
            return Phase(items=())
        manifest = selected.selected
        return Phase(
            listed=Listed(reference=manifest.reference, size=manifest.size, step=_DELETE), window=WINDOW
        )
    if phase == REMOVE and whole and not _counts(results)["failed"]:
        return Phase(items=(Item(id="forget", step="ingest.forget_collection"),))
    return _end(whole, results, job, _error(results, phase) if phase == FORGET else None)


def _error(results: Results, phase: int) -> str | None:
    done = results.get(phase, ())
    return next((item.error for item in done if item.error), None if done else "stopped before it was done")


def _end(whole: bool, results: Results, job: Job, reason: str | None) -> End:  # noqa: FBT001 - bound by name
    counts, failed = _counts(results), _failed(results)
    forgotten = any(
        result.forgotten for done in results.get(FORGET, ()) if (result := result_of(done, ForgetResult))
    )
    if whole and not (forgotten or reason):
        left = "documents were left" if counts["failed"] else "documents were added meanwhile"
        reason = f"{left}: retry the job, or delete the collection again"
    outcome: Json = {"collection": job.collection, "documents": dict(counts), "failed": failed}
    outcome |= {"error": reason} if reason else {}
    if pages := [PageResult.read_stored(done.result).reference for done in _paged(results)]:
        outcome["pages"] = pages
    selected = any(not done.error for done in results.get(SELECT, ()))
    if not selected:
        return End(state=JobState.FAILED, outcome=outcome)
    return End(state=JobState.PARTIAL if reason or counts["failed"] else JobState.DONE, outcome=outcome)


def _paged(results: Results) -> list[Done]:
    return [done for done in results.get(REMOVE, ()) if done.step == PAGE]


def _counts(results: Results) -> Counter[str]:
    """Return how many documents were deleted, were gone already, or failed."""
    counts = Counter(_document(done).status for done in results.get(REMOVE, ()) if done.step != PAGE)
    for done in _paged(results):
        counts.update(PageResult.read_stored(done.result).counts)
    return counts


def _failed(results: Results) -> list[Json]:
    lines = (_document(done) for done in results.get(REMOVE, ()) if done.step != PAGE)
    failed = (line for line in lines if line.status == "failed")
    return [line.model_dump(mode="json", exclude_defaults=True) for line in islice(failed, _LISTED)]


def _document(done: Done) -> DocumentLine:
    deleted = result_of(done, DeleteResult)
    uri = done.item_id.partition(":")[2]
    if deleted is None:
        return DocumentLine(uri=uri, status="failed", error=done.error)
    status = "deleted" if deleted.known else "gone"
    return DocumentLine(
        uri=uri,
        document_id=deleted.document_id,
        status=status,
        chunks=deleted.chunks,
        facts=deleted.facts,
    )


def _line(done: Done) -> Line:
    line = _document(done)
    data = line.model_dump(mode="json", exclude_defaults=True)
    return Line(status=line.status, data=data, again=line.status == "failed")


def _flow(kind: str, *, whole: bool) -> Flow:
    """Return a flow that deletes what its parameters mean.

    Args:
        kind: kind of its jobs.
        whole: whether everything else of the collection is deleted, too.
    """
    steps: dict[str, Step[NoInput]] = {
        "ingest.select": Step(
            select_documents,
            NoInput,
            SelectResult,
            activity="finding the documents",
            queue="bulk",
            priority=6,
            time_limit=_HOURS,
            needs=NEEDS,
        ),
        _DELETE: DELETE.steps[_DELETE],
    }
    if whole:
        steps["ingest.forget_collection"] = Step(
            forget_collection,
            NoInput,
            ForgetResult,
            activity="removing what is kept for the collection",
            queue="bulk",
            priority=3,
            time_limit=_HOURS,
            needs=NEEDS,
        )
    return Flow(
        kind=kind,
        params=DeletionParams,
        steps=steps,
        first=lambda _job: Phase(items=(Item(id="select", step="ingest.select"),)),
        advance=partial(_advance, whole),
        cut_short=partial(_end, whole),
        last=FORGET if whole else REMOVE,
        line=_line,
        listed_steps=(_DELETE,),
        shows="failed",
    )


DELETE_DOCUMENTS = _flow("delete_documents", whole=False)
DELETE_COLLECTION = _flow("delete_collection", whole=True)
