"""Flow that merges key elements: find duplicates page by page, then merge; or undo one merge.

The outcome: {elements, found, made, refused: how many; given_up: items; proposals: of a dry run; error}.
"""

from __future__ import annotations

from workers.core.jobs.flow import Flow, Results, Step
from workers.core.jobs.params import MergeParams
from workers.core.jobs.work import Done, End, Item, Job, JobState, Json, Phase
from workers.ingest.resolution.merge import find_merges, list_merges, make_merges, undo_merge

FIND, MAKE = range(2)
_HEX = "0123456789abcdef"
_LISTED = 200  # proposals that a dry run shows


def _first(job: Job) -> Phase:
    if job.params["undo"]:
        return Phase(items=(Item(id="undo", step="ingest.unmerge"),))
    # Ids are hashes: their first digit cuts the collection into equal parts, which are paged side by side.
    ends = ("l", *(f"k{digit}" for digit in reversed(_HEX[1:])))
    ranges = [
        {"range": digit, "after": f"k{digit}" if digit != "0" else "", "before": end}
        for digit, end in zip(_HEX, reversed(ends), strict=True)
    ]
    return Phase(
        items=tuple(Item(id=f"find:{one['range']}", step="ingest.merge_find", input=one) for one in ranges)
    )


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    broken = next((done.error for done in _all(results) if done.error), None)
    pages = [done for done in results[FIND] if not done.error and done.result.get("found")]
    # A page that was given up takes no other with it: what was found is merged, the rest by the next job.
    if job.params["undo"] or phase == MAKE or not pages:
        return _end(results, job, broken)
    step, name = ("ingest.merge_list", "list") if job.params["dry_run"] else ("ingest.merge", "merge")
    return Phase(
        items=tuple(
            Item(id=f"{name}:{done.item_id}", step=step, input={"proposals": done.result["proposals"]})
            for done in pages
        )
    )


def _all(results: Results) -> list[Done]:
    return [done for phase in (FIND, MAKE) for done in results.get(phase, ())]


def _end(results: Results, job: Job, error: str | None) -> End:
    told: Json = {"collection": job.collection, "dry_run": job.params["dry_run"], "error": error}
    found = [done.result for done in results.get(FIND, ()) if not done.error]
    if job.params["undo"]:
        told |= found[0] if found else {}
        useful = bool(found)
    else:
        done = [one.result for one in results.get(MAKE, ()) if not one.error]
        told |= {name: sum(one.get(name, 0) for one in found) for name in ("elements", "found")}
        told |= {name: sum(one.get(name, 0) for one in done) for name in ("made", "refused")}
        told["given_up"] = sum(1 for one in _all(results) if one.error)
        told["proposals"] = [entry for one in done for entry in one.get("listed", ())][:_LISTED]
        useful = bool(found) and (not error or bool(done))
    if not useful:
        return End(state=JobState.FAILED, outcome={**told, "error": error or "stopped before it was done"})
    return End(state=JobState.PARTIAL if error else JobState.DONE, outcome=told)


NEEDS = frozenset(("neo4j",))

MERGE = Flow(
    kind="merge",
    params=MergeParams,
    steps={
        "ingest.merge_find": Step(run=find_merges, queue="bulk", priority=3, time_limit=600, needs=NEEDS),
        "ingest.merge": Step(run=make_merges, queue="bulk", priority=3, time_limit=600, needs=NEEDS),
        "ingest.merge_list": Step(run=list_merges, queue="bulk", priority=3, needs=NEEDS),
        "ingest.unmerge": Step(run=undo_merge, queue="bulk", time_limit=300, needs=NEEDS),
    },
    first=_first,
    advance=_advance,
    cut_short=_end,
    last=MAKE,
)
