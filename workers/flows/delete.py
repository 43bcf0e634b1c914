"""Flow that deletes a document, in one item."""

from __future__ import annotations

from workers.core.jobs.flow import Flow, Results, Step
from workers.core.jobs.params import DeleteParams
from workers.core.jobs.work import End, Item, Job, JobState, Phase
from workers.ingest.delete import delete_document


def _first(_job: Job) -> Phase:
    return Phase(items=(Item(id="delete", step="ingest.delete"),))


def _advance(_phase: int, results: Results, job: Job) -> End:
    done = next(iter(results.get(0, ())), None)
    if done is None or done.error:
        return _cut_short(results, job, done.error if done and done.error else "stopped before it was done")
    return End(state=JobState.DONE, outcome=done.result)


def _cut_short(_results: Results, job: Job, reason: str) -> End:
    return End(state=JobState.FAILED, outcome={"document_id": job.params["document_id"], "error": reason})


NEEDS = frozenset(("neo4j", "vectors"))

DELETE = Flow(
    kind="delete",
    params=DeleteParams,
    steps={"ingest.delete": Step(run=delete_document, queue="bulk", time_limit=300, needs=NEEDS)},
    first=_first,
    advance=_advance,
    cut_short=_cut_short,
)
