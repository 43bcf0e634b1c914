"""Flow that fills the response cache through the provider's batch mode before a batch runs.

Every document is prepared, the lines are sent in groups, and what comes back is kept. Then the batch's
documents run as always and find their replies there; what they do not find they ask call by call.
"""

from __future__ import annotations

from collections import Counter

from pydantic import Field

from hopline.models.base import Frozen
from hopline.models.jobs import JobState, Json
from workers.core.jobs.flow import PAGE, Flow, Line, Results, Step, result_of, why_failed
from workers.core.jobs.params import DocumentParams
from workers.core.jobs.result_pages import PageResult
from workers.core.jobs.work import ChildJob, ChildResult, Done, End, Item, Job, Listed, Outcome, Phase
from workers.core.ports import Ports
from workers.ingest.flow import BLOBS, GRAPH, MODEL
from workers.ingest.provider.group import GroupInput, GroupResult, HandOverInput, group_lines, hand_over
from workers.ingest.provider.lines import PrepareResult
from workers.ingest.provider.prepare import prepare_document

_PREPARE, _GROUP, _HAND_OVER = range(3)
_COUNTS = ("kept", "unusable", "unreadable", "failed")
PREFILL_STEP = "ingest.prefill"


class PrefillParams(Frozen):
    """The documents of a batch; all of it is written, as its job's outcome repeats the window."""

    manifest: str = Field(min_length=1, max_length=200)  # blob: the batch's stored list
    documents: int = Field(ge=1)
    window: int = Field(ge=1)  # of documents that are prepared at a time


def prefill_phase(manifest: str, documents: int, window: int) -> Phase:
    """Return the first phase of a batch that uses the provider's batch mode."""
    params = PrefillParams(manifest=manifest, documents=documents, window=window)
    return Phase(items=(Item(id="prefill", step=PREFILL_STEP, input=params),))


def delegate_prefill(params: PrefillParams, _ports: Ports) -> Outcome:
    """Step ingest.prefill: delegates the filling of the response cache to a job of its own."""
    return Outcome(delegate=ChildJob(kind="prefill", params=params.model_dump(mode="json")))


def _first(job: Job) -> Phase:
    params = PrefillParams.read_stored(job.params)
    listed = Listed(reference=params.manifest, size=params.documents, step="ingest.prepare")
    return Phase(listed=listed, window=params.window)


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    done = results.get(phase, ())
    if phase == _PREPARE:
        pages = (PageResult.read_stored(page.result) for page in done if page.step == PAGE)
        prepared = (result_of(document, PrepareResult) for document in done if document.step != PAGE)
        lines = GroupInput(
            pages=tuple(page.reference for page in pages), prepared=tuple(filter(None, prepared))
        )
        return Phase(items=(Item(id="group", step="ingest.group", input=lines),))
    grouped = _grouped(results)
    return _handed_over(grouped) if phase == _GROUP and grouped else _end(results, job, None)


def _grouped(results: Results) -> GroupResult | None:
    return next((result_of(done, GroupResult) for done in results.get(_GROUP, ())), None)


def _handed_over(grouped: GroupResult) -> Phase:
    items = (
        Item(id=f"group:{at}", step="ingest.hand_over", input=HandOverInput(groups=grouped.groups, at=at))
        for at in range(grouped.count)
    )
    return Phase(items=tuple(items), window=grouped.window)


def _end(results: Results, job: Job, reason: str | None) -> End:
    """End the job, as failed only if nothing came back, since further groups would not help."""
    grouped = _grouped(results)
    handed = results.get(_HAND_OVER, ())
    reasons = map(why_failed, (*results.get(_GROUP, ()), *handed))
    errors = [why for why in reasons if why]
    counts: Counter[str] = Counter()
    for done in handed:
        batch = ChildResult.read_stored(done.result).outcome
        counts.update({name: batch.get(name, 0) for name in _COUNTS})
    outcome: Json = {
        "lines": grouped.lines if grouped else 0,
        "batches": len(handed),
        **{name: counts[name] for name in _COUNTS},
        "window": job.params["window"],
    }
    failed = bool(errors) and len(errors) == max(1, len(handed))
    why = reason or (errors[0] if failed else None)
    outcome |= {"error": why} if why else {}
    outcome |= {"refused": errors[:3]} if errors else {}
    return End(state=JobState.FAILED if why else JobState.DONE, outcome=outcome)


def _line(done: Done) -> Line:
    """Reduce a prepared document to the address of its lines."""
    return Line(status="failed" if done.error else "done", data=done.result, again=False)


PREFILL = Flow(
    kind="prefill",
    params=PrefillParams,
    steps={
        "ingest.prepare": Step(
            prepare_document,
            DocumentParams,
            PrepareResult,
            activity="preparing documents",
            queue="bulk",
            priority=6,
            time_limit=300,
            needs=GRAPH | MODEL,
        ),
        "ingest.group": Step(
            group_lines,
            GroupInput,
            GroupResult,
            activity="grouping calls",
            queue="bulk",
            time_limit=1800,
            needs=MODEL,
        ),
        "ingest.hand_over": Step(
            hand_over,
            HandOverInput,
            ChildResult,
            activity="submitting to the provider",
            queue="bulk",
            priority=3,
            needs=BLOBS,
        ),
    },
    first=_first,
    advance=_advance,
    cut_short=_end,
    line=_line,
    listed_steps=("ingest.prepare",),
)
