"""A batch: its items are documents, each a job of its own, a window of them in flight at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from workers.core.params import BatchParams, DocumentParams
from workers.core.ports import Ports
from workers.core.work import ChildJob, Done, End, Item, Job, JobState, Json, Outcome, Phase
from workers.flows.document import TYPED
from workers.flows.flow import Flow, Results, Step

_NAME_SHOWN = 60  # characters of an address that an item's id shows


def documents_phase(documents: Sequence[DocumentParams], window: int) -> Phase:
    """Return a batch's first phase, made by who submits it: the job's parameters do not hold the list."""
    return Phase(items=tuple(_item(at, one) for at, one in enumerate(documents)), window=window)


def _item(at: int, document: DocumentParams) -> Item:
    shown = "".join(c if c.isprintable() else "?" for c in document.uri[-_NAME_SHOWN:])
    return Item(id=f"{at}:{shown}", step="ingest.document", input=document.model_dump(mode="json"))


def delegate_document(given: Json, _ports: Ports) -> Outcome:
    """Step ingest.document: hand the document to a job of its own."""
    return Outcome(delegate=ChildJob(kind="document", params=given))


def _first(_job: Job) -> Phase:
    return Phase(items=())


def _advance(_phase: int, results: Results, job: Job) -> End:
    return _end(results, job, None)


def _end(results: Results, job: Job, reason: str | None) -> End:
    documents = [_report(done) for done in sorted(results.get(0, ()), key=_position)]
    counts = Counter(one["status"] for one in documents)
    missing = int(job.params["documents"]) - len(documents)
    if missing:
        counts["not done"] = missing
    whole = counts["done"] + counts["unchanged"]
    if whole == len(documents) and not missing:
        state = JobState.DONE
    else:
        state = JobState.PARTIAL if whole + counts["partial"] else JobState.FAILED
    outcome: Json = {"documents": documents, "counts": dict(counts)}
    return End(state=state, outcome={**outcome, "reason": reason} if reason else outcome)


def _position(done: Done) -> int:
    return int(done.item_id.partition(":")[0])


def _report(done: Done) -> Json:
    """Return a document's line of the report; what its job ended without (cancelled, lost) is filled in."""
    outcome: Json = done.result.get("outcome") or {}
    status = outcome.get("status") or "failed"
    error = outcome.get("error") or outcome.get("reason") or done.error
    return {
        "uri": outcome.get("uri") or done.item_id.partition(":")[2],
        "document_id": outcome.get("document_id", ""),
        "status": status,
        "chunks": outcome.get("chunks", 0),
        "facts": outcome.get("facts", 0),
        **{name: outcome[name] for name in TYPED if name in outcome},
        "error": error if status not in {"done", "unchanged"} else None,
        "failed_chunks": outcome.get("failed_chunks", []),
    }


def _cut_short(results: Results, job: Job, reason: str) -> End:
    return _end(results, job, reason)


BATCH = Flow(
    kind="batch",
    params=BatchParams,
    steps={"ingest.document": Step(run=delegate_document, queue="bulk", priority=6)},
    first=_first,
    advance=_advance,
    cut_short=_cut_short,
)
