"""Flow that syncs a collection with its sources: list → survey → compare → write → remove.

What a source has lost is removed last, so that a document that was moved is always there, at the old place
or at the new one. Every document is a job of its own: a crash leaves its old version or its new one.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

from hopline.models.batches import WHOLE
from hopline.models.jobs import JobState, Json
from hopline.models.params import SyncParams
from hopline.models.reports import DocumentLine
from hopline.models.times import STORED
from workers.core.jobs.flow import PAGE, Flow, Line, Results, Step, result_of
from workers.core.jobs.manifest import Manifest
from workers.core.jobs.params import DocumentParams
from workers.core.jobs.result_pages import PageResult
from workers.core.jobs.work import ChildResult, Done, End, Item, Job, Listed, NoInput, Phase, as_json
from workers.ingest.batch import delegate_document, line_of
from workers.ingest.flow import BLOBS, GRAPH
from workers.ingest.sync.compare import (
    CompareInput,
    CompareResult,
    FailedSurvey,
    SurveyEntry,
    compare_documents,
)
from workers.ingest.sync.remove import RemoveInput, RemoveResult, remove_document
from workers.ingest.sync.survey import (
    WINDOW,
    ListResult,
    SurveyInput,
    SurveyResult,
    list_documents,
    survey_number,
    survey_page,
)

LIST, SURVEY, COMPARE, WRITE, REMOVE = range(5)
_SURVEY, _DOCUMENT, _REMOVE = "ingest.survey", "ingest.document", "ingest.remove"
_IN_STEP = frozenset({*WHOLE, "removed"})  # statuses of what needs no retry
_LISTED = 50  # of what went wrong, in the outcome
_HOURS = 3600.0


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    done = results.get(phase, ())
    broken = next((item for item in done if item.error), None)
    if phase <= COMPARE and (broken or not done):
        return _end(results, job, broken.error if broken else "stopped before it was done")
    if phase == LIST:
        return _after_list(_listed(results))
    if phase == SURVEY:
        return _after_survey(results)
    if phase == COMPARE and job.params.get("dry_run"):
        return _end(results, job, None)
    return _following(phase, results, job)


def _listed(results: Results) -> ListResult:
    return ListResult.read_stored(results[LIST][0].result)


def _compared(results: Results) -> CompareResult | None:
    return next((result_of(done, CompareResult) for done in results.get(COMPARE, ())), None)


def _after_list(listed: ListResult) -> Phase:
    if listed.surveys is None:  # by a worker of an earlier version
        items = (
            Item(id=f"survey:{nth}", step=_SURVEY, input=SurveyInput(page=page))
            for nth, page in enumerate(listed.pages)
        )
        return Phase(items=tuple(items), window=WINDOW)
    return Phase(listed=_manifest(listed.surveys, _SURVEY), window=WINDOW)


def _manifest(manifest: Manifest, step: str) -> Listed:
    return Listed(reference=manifest.reference, size=manifest.size, step=step)


def _after_survey(results: Results) -> Phase:
    listed = _listed(results)
    pages = tuple(page.reference for page in _pages(results, SURVEY))
    # In the order of the listing, which does not change.
    done = sorted(_in_redis(results, SURVEY), key=lambda done: survey_number(done.item_id))
    surveys = [(survey.item_id, SurveyResult.read_stored(survey.result)) for survey in done]
    compare = CompareInput(
        refusals=listed.refusals,
        scopes=listed.scopes,
        surveyed=None if pages else tuple((survey.page, survey.made) for _item, survey in surveys),
        pages=pages or None,
        rest=tuple(SurveyEntry(item=item, line=survey) for item, survey in surveys) if pages else None,
    )
    return Phase(items=(Item(id="compare", step="ingest.compare", input=compare),))


def _following(phase: int, results: Results, job: Job) -> Phase | End:
    """Open the next phase that has work to do."""
    compared = CompareResult.read_stored(results[COMPARE][0].result)
    lists = ((WRITE, compared.changes, _DOCUMENT), (REMOVE, compared.removals, _REMOVE))
    for number, manifest, step in lists:
        # Phases are numbered in their order: where nothing is to be written, one without items stands for it.
        if number == phase + 1:
            if not manifest.size:
                return Phase(items=()) if number == WRITE else _end(results, job, None)
            return Phase(listed=_manifest(manifest, step), window=WINDOW)
    return _end(results, job, None)


def _end(results: Results, job: Job, reason: str | None) -> End:
    compared = _compared(results)
    if compared is None:
        outcome = _outcome(job, None, reason or "stopped before it was done")
        return End(state=JobState.FAILED, outcome=outcome)
    if job.params.get("dry_run"):
        return End(state=JobState.DONE, outcome=_outcome(job, compared, None) | _refused(results))
    written, removed = _counts(results, WRITE), _counts(results, REMOVE)
    whole = (
        sum(written[status] for status in WHOLE) == compared.changes.size
        and removed["removed"] == compared.removals.size
    )
    outcome = _outcome(job, compared, reason) | _refused(results)
    outcome |= {"documents": dict(written), "removals": dict(removed), "failed": _failed(results)}
    if pages := [page.reference for phase in (WRITE, REMOVE) for page in _pages(results, phase)]:
        outcome["pages"] = pages
    return End(state=JobState.DONE if whole else JobState.PARTIAL, outcome=outcome)


def _outcome(job: Job, compared: CompareResult | None, reason: str | None) -> Json:
    changes = as_json(compared) if compared else {}
    outcome: Json = {
        "sources": list(job.params["sources"]),
        "dry_run": bool(job.params.get("dry_run")),
        "counts": changes.get("counts", {}),
        "examples": changes.get("examples", {}),
    }
    return outcome | ({"error": reason} if reason else {})


def _refused(results: Results) -> Json:
    listed = _listed(results)
    return {"refused": listed.refused, "refusals": listed.refusals}


def _pages(results: Results, phase: int) -> list[PageResult]:
    return [PageResult.read_stored(done.result) for done in results.get(phase, ()) if done.step == PAGE]


def _in_redis(results: Results, phase: int) -> list[Done]:
    """Return the items of a phase whose results have not left Redis."""
    return [done for done in results.get(phase, ()) if done.step != PAGE]


def _counts(results: Results, phase: int) -> Counter[str]:
    counts = Counter(_document_line(done).status for done in _in_redis(results, phase))
    for page in _pages(results, phase):
        counts.update(page.counts)
    return counts


def _failed(results: Results) -> list[Json]:
    """Return some of what went wrong; all of it is among the job's dead letters and its documents."""
    lines = (_document_line(done) for phase in (WRITE, REMOVE) for done in _in_redis(results, phase))
    failed = (line for line in lines if line.status not in _IN_STEP)
    return [line.model_dump(mode="json", exclude_defaults=True) for line in islice(failed, _LISTED)]


def _line(done: Done) -> Line:
    if done.step == _SURVEY:
        if done.error:
            return Line(status="failed", data=as_json(FailedSurvey(error=done.error)), again=True)
        return Line(status="done", data=done.result, again=False)
    line = _document_line(done)
    data = line.model_dump(mode="json", exclude_defaults=True, context=STORED)
    return Line(status=line.status, data=data, again=line.status not in _IN_STEP)


def _document_line(done: Done) -> DocumentLine:
    return _removed_line(done) if done.step == _REMOVE else line_of(done)


def _removed_line(done: Done) -> DocumentLine:
    removal = RemoveResult.read_stored(done.result)
    outcome = removal.outcome
    error = removal.kept or outcome.get("error") or outcome.get("reason") or done.error
    ended = "removed" if removal.state is JobState.DONE else "failed"
    status = "kept" if removal.kept else ended
    return DocumentLine(
        uri=removal.uri or done.item_id,
        document_id=outcome.get("document_id", ""),
        status=status,
        error=None if status == "removed" else error or "stopped before it was done",
    )


SYNC = Flow(
    kind="sync",
    params=SyncParams,
    steps={
        "ingest.list": Step(
            list_documents,
            NoInput,
            ListResult,
            activity="listing",
            queue="bulk",
            priority=6,
            time_limit=6 * _HOURS,
            needs=BLOBS,
        ),
        _SURVEY: Step(
            survey_page,
            SurveyInput,
            SurveyResult,
            activity="reading",
            queue="bulk",
            priority=6,
            time_limit=_HOURS,
            needs=BLOBS,
        ),
        "ingest.compare": Step(
            compare_documents,
            CompareInput,
            CompareResult,
            activity="comparing",
            queue="bulk",
            priority=3,
            time_limit=_HOURS,
            needs=GRAPH,
        ),
        _DOCUMENT: Step(
            delegate_document,
            DocumentParams,
            ChildResult,
            activity="ingesting documents",
            queue="bulk",
            priority=6,
        ),
        _REMOVE: Step(
            remove_document,
            RemoveInput,
            RemoveResult,
            activity="removing documents",
            queue="bulk",
            priority=6,
            time_limit=300,
            needs=GRAPH,
        ),
    },
    first=lambda _job: Phase(items=(Item(id="list", step="ingest.list"),)),
    advance=_advance,
    cut_short=_end,
    budget=lambda params: params.budget,
    pauses=True,
    last=REMOVE,
    line=_line,
    listed_steps=(_SURVEY, _DOCUMENT, _REMOVE),
    shows="failed",
)
