"""Flow that syncs a collection with its sources: list → survey → compare → write → remove.

What a source has lost is removed last, so that a document that was moved is always there, at the old place
or at the new one. Every document is a job of its own: a crash leaves its old version or its new one.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

from workers.core.jobs.batches import WHOLE, DocumentLine
from workers.core.jobs.flow import PAGE, Flow, Line, Results, Step
from workers.core.jobs.params import SyncParams
from workers.core.jobs.work import Done, End, Item, Job, JobState, Json, Listed, Phase
from workers.flows.batch import delegate_document, line_of
from workers.flows.document import BLOBS, GRAPH
from workers.ingest.sync.compare import compare_documents
from workers.ingest.sync.remove import remove_document
from workers.ingest.sync.survey import WINDOW, list_documents, survey_number, survey_page

LIST, SURVEY, COMPARE, WRITE, REMOVE = range(5)
_SURVEY, _DOCUMENT, _REMOVE = "ingest.survey", "ingest.document", "ingest.remove"
_IN_STEP = frozenset({*WHOLE, "removed"})  # statuses of what needs no retry
_LISTED = 50  # of what went wrong, in the outcome
_HOURS = 3600.0


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    done = results.get(phase, ())
    broken = next((one for one in done if one.error), None)
    if phase <= COMPARE and (broken or not done):
        return _end(results, job, broken.error if broken else "stopped before it was done")
    if phase == LIST:
        return _after_list(done[0].result)
    if phase == SURVEY:
        return _after_survey(results)
    if phase == COMPARE and job.params.get("dry_run"):
        return _end(results, job, None)
    return _following(phase, results, job)


def _after_list(listed: Json) -> Phase:
    if "pages" in listed:  # by a worker of an earlier version
        inputs = enumerate({"page": page} for page in listed["pages"])
        items = (Item(id=f"survey:{nth}", step=_SURVEY, input=given) for nth, given in inputs)
        return Phase(items=tuple(items), window=WINDOW)
    return Phase(listed=Listed(**listed["surveys"], step=_SURVEY), window=WINDOW)


def _after_survey(results: Results) -> Phase:
    listed = results[LIST][0].result
    given: Json = {"refusals": listed["refusals"], "scopes": listed["scopes"]}
    pages = _pages(results, SURVEY)
    surveys = sorted(_in_redis(results, SURVEY), key=lambda done: survey_number(done.item_id))
    if pages:
        given |= {"pages": pages, "rest": [{"item": one.item_id, "line": one.result} for one in surveys]}
    else:  # in the order of the listing, which does not change
        given["surveyed"] = [[one.result["page"], one.result["made"]] for one in surveys]
    return Phase(items=(Item(id="compare", step="ingest.compare", input=given),))


def _following(phase: int, results: Results, job: Job) -> Phase | End:
    """Open the next phase that has work to do."""
    compared = results[COMPARE][0].result
    for number, name, step in ((WRITE, "changes", _DOCUMENT), (REMOVE, "removals", _REMOVE)):
        # Phases are numbered in their order: where nothing is to be written, one without items stands for it.
        if number == phase + 1:
            if not compared[name]["size"]:
                return Phase(items=()) if number == WRITE else _end(results, job, None)
            listed = Listed(reference=compared[name]["reference"], size=compared[name]["size"], step=step)
            return Phase(listed=listed, window=WINDOW)
    return _end(results, job, None)


def _end(results: Results, job: Job, reason: str | None) -> End:
    compared = next((one.result for one in results.get(COMPARE, ()) if not one.error), None)
    if compared is None:
        return End(state=JobState.FAILED, outcome=_told(job, {}, reason or "stopped before it was done"))
    if job.params.get("dry_run"):
        return End(state=JobState.DONE, outcome=_told(job, compared, None) | _refused(results))
    written, removed = _counts(results, WRITE), _counts(results, REMOVE)
    whole = (
        sum(written[status] for status in WHOLE) == compared["changes"]["size"]
        and removed["removed"] == compared["removals"]["size"]
    )
    outcome = _told(job, compared, reason) | _refused(results)
    outcome |= {"documents": dict(written), "removals": dict(removed), "failed": _failed(results)}
    if pages := [page for phase in (WRITE, REMOVE) for page in _pages(results, phase)]:
        outcome["pages"] = pages
    return End(state=JobState.DONE if whole else JobState.PARTIAL, outcome=outcome)


def _told(job: Job, compared: Json, reason: str | None) -> Json:
    told: Json = {
        "sources": list(job.params["sources"]),
        "dry_run": bool(job.params.get("dry_run")),
        "counts": compared.get("counts", {}),
        "examples": compared.get("examples", {}),
    }
    return told | ({"error": reason} if reason else {})


def _refused(results: Results) -> Json:
    listed = results[LIST][0].result
    return {"refused": listed["refused"], "refusals": listed["refusals"]}


def _pages(results: Results, phase: int) -> list[str]:
    return [done.result["reference"] for done in results.get(phase, ()) if done.step == PAGE]


def _in_redis(results: Results, phase: int) -> list[Done]:
    """Return the items of a phase whose results have not left Redis."""
    return [done for done in results.get(phase, ()) if done.step != PAGE]


def _counts(results: Results, phase: int) -> Counter[str]:
    counts = Counter(_document_line(done).status for done in _in_redis(results, phase))
    for done in results.get(phase, ()):
        if done.step == PAGE:
            counts.update(done.result["counts"])
    return counts


def _failed(results: Results) -> list[Json]:
    """Return some of what went wrong; all of it is among the job's dead letters and its documents."""
    lines = (_document_line(done) for phase in (WRITE, REMOVE) for done in _in_redis(results, phase))
    failed = (line for line in lines if line.status not in _IN_STEP)
    return [line.model_dump(mode="json", exclude_defaults=True) for line in islice(failed, _LISTED)]


def _line(done: Done) -> Line:
    if done.step == _SURVEY:
        status, told = ("failed", {"error": done.error}) if done.error else ("done", done.result)
        return Line(status=status, told=told, again=bool(done.error))
    line = _document_line(done)
    told = line.model_dump(mode="json", exclude_defaults=True)
    return Line(status=line.status, told=told, again=line.status not in _IN_STEP)


def _document_line(done: Done) -> DocumentLine:
    return _removed_line(done) if done.step == _REMOVE else line_of(done)


def _removed_line(done: Done) -> DocumentLine:
    outcome: Json = done.result.get("outcome") or {}
    error = done.result.get("kept") or outcome.get("error") or outcome.get("reason") or done.error
    if "kept" in done.result:
        status = "kept"
    else:
        status = "removed" if done.result.get("state") == "done" else "failed"
    return DocumentLine(
        uri=done.result.get("uri") or done.item_id,
        document_id=outcome.get("document_id", ""),
        status=status,
        error=None if status == "removed" else error or "stopped before it was done",
    )


SYNC = Flow(
    kind="sync",
    params=SyncParams,
    steps={
        "ingest.list": Step(run=list_documents, queue="bulk", priority=6, time_limit=6 * _HOURS, needs=BLOBS),
        _SURVEY: Step(run=survey_page, queue="bulk", priority=6, time_limit=_HOURS, needs=BLOBS),
        "ingest.compare": Step(
            run=compare_documents, queue="bulk", priority=3, time_limit=_HOURS, needs=GRAPH
        ),
        _DOCUMENT: Step(run=delegate_document, queue="bulk", priority=6),
        _REMOVE: Step(run=remove_document, queue="bulk", priority=6, time_limit=300, needs=GRAPH),
    },
    first=lambda _job: Phase(items=(Item(id="list", step="ingest.list"),)),
    advance=_advance,
    cut_short=_end,
    budget=lambda job: SyncParams.read_stored(job.params).budget,
    pauses=True,
    last=REMOVE,
    line=_line,
    listed_steps=(_SURVEY, _DOCUMENT, _REMOVE),
    shows="failed",
)
