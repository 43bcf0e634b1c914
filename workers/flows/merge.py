"""Flow that merges key elements: find duplicates page by page, then merge; or undo one merge.

The outcome: {elements, found, made, refused: how many; given_up: items; proposals: of a dry run; error}.
"""

from __future__ import annotations

from workers.core.jobs.flow import Flow, Record, Results, Step, result_of
from workers.core.jobs.params import MergeParams
from workers.core.jobs.work import Done, End, Item, Job, JobState, Json, NoInput, Phase, as_json
from workers.ingest.resolution.merge import (
    FindInput,
    FindResult,
    MergeInput,
    MergeListResult,
    MergeResult,
    UndoResult,
    find_merges,
    list_merges,
    make_merges,
    undo_merge,
)

FIND, MAKE = range(2)
_HEX = "0123456789abcdef"
_LISTED = 200  # proposals that a dry run shows


def _first(job: Job) -> Phase:
    if job.params["undo"]:
        return Phase(items=(Item(id="undo", step="ingest.unmerge"),))
    # Ids are hashes: their first digit cuts the collection into equal parts, which are paged side by side.
    ends = ("l", *(f"k{digit}" for digit in reversed(_HEX[1:])))
    ranges = (
        FindInput(range=digit, after=f"k{digit}" if digit != "0" else "", before=end)
        for digit, end in zip(_HEX, reversed(ends), strict=True)
    )
    return Phase(
        items=tuple(Item(id=f"find:{part.range}", step="ingest.merge_find", input=part) for part in ranges)
    )


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    broken = next((done.error for done in _all(results) if done.error), None)
    pages = () if job.params["undo"] else _pages(results)
    # A page that was given up takes no other with it: what was found is merged, the rest by the next job.
    if job.params["undo"] or phase == MAKE or not pages:
        return _end(results, job, broken)
    step, name = ("ingest.merge_list", "list") if job.params["dry_run"] else ("ingest.merge", "merge")
    return Phase(
        items=tuple(
            Item(id=f"{name}:{item_id}", step=step, input=MergeInput(proposals=page.proposals))
            for item_id, page in pages
        )
    )


def _pages(results: Results) -> list[tuple[str, FindResult]]:
    """Return the pages on which there are doubles, each with its item's id."""
    pages = ((done.item_id, result_of(done, FindResult)) for done in results[FIND])
    return [(item_id, page) for item_id, page in pages if page and page.found]


def _results(results: Results, phase: int, kind: type[Record]) -> list[Record]:
    return [result for done in results.get(phase, ()) if (result := result_of(done, kind))]


def _all(results: Results) -> list[Done]:
    return [done for phase in (FIND, MAKE) for done in results.get(phase, ())]


def _end(results: Results, job: Job, error: str | None) -> End:
    outcome: Json = {"collection": job.collection, "dry_run": job.params["dry_run"], "error": error}
    if job.params["undo"]:
        undone = _results(results, FIND, UndoResult)
        outcome |= as_json(undone[0]) if undone else {}
        useful = bool(undone)
    else:
        pages = _results(results, FIND, FindResult)
        made = _results(results, MAKE, MergeResult) if not job.params["dry_run"] else []
        lists = _results(results, MAKE, MergeListResult) if job.params["dry_run"] else []
        outcome |= {"elements": sum(page.elements for page in pages)}
        outcome |= {"found": sum(page.found for page in pages)}
        outcome |= {"made": sum(page.made for page in made), "refused": sum(page.refused for page in made)}
        outcome["given_up"] = sum(1 for done in _all(results) if done.error)
        outcome["proposals"] = [list(entry) for page in lists for entry in page.listed][:_LISTED]
        useful = bool(pages) and (not error or bool(made or lists))
    if not useful:
        outcome["error"] = error or "stopped before it was done"
        return End(state=JobState.FAILED, outcome=outcome)
    return End(state=JobState.PARTIAL if error else JobState.DONE, outcome=outcome)


NEEDS = frozenset(("neo4j",))

MERGE = Flow(
    kind="merge",
    params=MergeParams,
    steps={
        "ingest.merge_find": Step(
            find_merges,
            FindInput,
            FindResult,
            activity="looking for doubles",
            queue="bulk",
            priority=3,
            time_limit=600,
            needs=NEEDS,
        ),
        "ingest.merge": Step(
            make_merges,
            MergeInput,
            MergeResult,
            activity="merging elements",
            queue="bulk",
            priority=3,
            time_limit=600,
            needs=NEEDS,
        ),
        "ingest.merge_list": Step(
            list_merges,
            MergeInput,
            MergeListResult,
            activity="listing merges",
            queue="bulk",
            priority=3,
            needs=NEEDS,
        ),
        "ingest.unmerge": Step(
            undo_merge,
            NoInput,
            UndoResult,
            activity="undoing a merge",
            queue="bulk",
            time_limit=300,
            needs=NEEDS,
        ),
    },
    first=_first,
    advance=_advance,
    cut_short=_end,
    last=MAKE,
)
