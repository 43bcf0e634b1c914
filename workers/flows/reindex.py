"""Flow that rebuilds a collection's vectors: drop them, then build them from the graph.

Two phases, so that building, which may take long and be repeated after a crash, never drops again what it
has built.
"""

from __future__ import annotations

from workers.core.jobs.flow import Flow, Results, Step
from workers.core.jobs.params import ReindexParams
from workers.core.jobs.work import End, Item, Job, JobState, Phase
from workers.ingest.reindex import reindex_collection

_HOURS = 3600.0


def _first(_job: Job) -> Phase:
    return Phase(items=(Item(id="drop", step="ingest.reindex", input={"drop": True}),))


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    done = next(iter(results.get(phase, ())), None)
    if done is None or done.error:
        return _cut_short(results, job, done.error if done and done.error else "stopped before it was done")
    if phase == 0:
        return Phase(items=(Item(id="build", step="ingest.reindex", input={"drop": False}),))
    return End(state=JobState.DONE, outcome={"collection": job.collection, **done.result})


def _cut_short(_results: Results, job: Job, reason: str) -> End:
    return End(state=JobState.FAILED, outcome={"collection": job.collection, "error": reason})


NEEDS = frozenset(("neo4j", "vectors", "embedding"))

REINDEX = Flow(
    kind="reindex",
    params=ReindexParams,
    steps={"ingest.reindex": Step(run=reindex_collection, queue="bulk", time_limit=6 * _HOURS, needs=NEEDS)},
    first=_first,
    advance=_advance,
    cut_short=_cut_short,
    last=1,
)
