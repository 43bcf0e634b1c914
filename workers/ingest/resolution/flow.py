"""Flow that merges key elements: find duplicates page by page, ask a model where it may, merge; or undo one.

The outcome: {elements, found, made, refused: how many; given_up: items; proposals: of a dry run; error}. With
a bound of model calls also {likely: pairs to ask about; calls: made, or in a dry run needed for all before
any is confirmed; asked, same, left: pairs; pairs: of a dry run, as proposals}.
"""

from __future__ import annotations

from collections.abc import Sequence

from hopline.models.jobs import JobState, Json
from workers.core.jobs.flow import Flow, Record, Results, Step, done_of, result_of
from workers.core.jobs.params import MergeParams
from workers.core.jobs.work import Done, End, Item, Job, NoInput, Phase, as_json
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
from workers.ingest.resolution.verdicts import AskInput, AskResult, LikelyPairs, ask_model, calls_for

_HEX = "0123456789abcdef"
_LISTED = 200  # proposals that a dry run shows
_ASKED_TOGETHER = 10  # pairs, at least, of one item that asks a model: it fills its calls
_FIND, _ASK, _MAKE, _LIST = "ingest.merge_find", "ingest.merge_ask", "ingest.merge", "ingest.merge_list"
_UNDO = "ingest.unmerge"
_LATER = ((_ASK, AskResult), (_MAKE, MergeResult), (_LIST, MergeListResult))
_LIKELY = "likely:"  # begins the ids of items that list what a model would be asked about


def _first(job: Job) -> Phase:
    if job.params["undo"]:
        return Phase(items=(Item(id="undo", step=_UNDO),))
    # Ids are hashes: their first digit cuts the collection into equal parts, which are paged side by side.
    ends = ("l", *(f"k{digit}" for digit in reversed(_HEX[1:])))
    ranges = (
        FindInput(range=digit, after=f"k{digit}" if digit != "0" else "", before=end)
        for digit, end in zip(_HEX, reversed(ends), strict=True)
    )
    return Phase(items=tuple(Item(id=f"find:{part.range}", step=_FIND, input=part) for part in ranges))


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    # By what is done, not by the phase's number: an older worker goes from finding to merging.
    # A page that was given up takes no other with it: what was found is merged, the rest by the next job.
    closed = job.params["dry_run"] or _is_asked(phase, results)
    following = ([] if closed else _questions(results, job)) or _merges(results, job)
    return Phase(items=tuple(following)) if following else _end(results, job, None)


def _is_asked(phase: int, results: Results) -> bool:
    """Return whether a model was asked, or asking was closed before anything of it was done."""
    return bool(done_of(results, _ASK)) or not all(results.get(number) for number in range(phase + 1))


def _questions(results: Results, job: Job) -> list[Item]:
    """Return items that ask a model about the pages' pairs, with as many calls in all as the job may make."""
    left = _most_calls(job)
    parts: list[tuple[str, AskInput]] = []
    for item_id, together in _packed(results):
        if calls := min(_calls_for(together), left):
            parts.append((item_id, AskInput(pairs=tuple(some.blob for some in together), calls=calls)))
        left -= calls
    # Calls to confirm a pair or repair a reply: nobody knows where they will be needed.
    more = [left * (nth + 1) // len(parts) - left * nth // len(parts) for nth in range(len(parts))]
    return [
        Item(id=item_id, step=_ASK, input=part.model_copy(update={"calls": part.calls + extra}))
        for (item_id, part), extra in zip(parts, more, strict=True)
    ]


def _packed(results: Results) -> list[tuple[str, list[LikelyPairs]]]:
    """Return the pages' pairs together, so that they fill calls, by the ids of the items that ask."""
    pages = _read(results, _FIND, FindResult)
    parts = [
        (f"ask:{done.item_id}:{nth}", some) for done, page in pages for nth, some in enumerate(page.pairs)
    ]
    packed: list[tuple[str, list[LikelyPairs]]] = []
    together: list[LikelyPairs] = []
    for nth, (item_id, some) in enumerate(parts, 1):
        together.append(some)
        if nth == len(parts) or sum(part.count for part in together) >= _ASKED_TOGETHER:
            packed.append((item_id, together))
            together = []
    return packed


def _calls_for(together: Sequence[LikelyPairs]) -> int:
    return calls_for(sum(some.count for some in together))


def _most_calls(job: Job) -> int:
    return MergeParams.read_stored(job.params).ask


def _merges(results: Results, job: Job) -> list[Item]:
    """Return items that make the remaining merges, or in a dry run list these and the likely pairs."""
    pages = [(done.item_id, page) for done, page in _read(results, _FIND, FindResult)]
    step, name = (_LIST, "list") if job.params["dry_run"] else (_MAKE, "merge")
    items = [(f"{name}:{item_id}", page.proposals) for item_id, page in pages if page.found]
    if job.params["dry_run"]:
        items += [
            (f"{_LIKELY}{item_id}:{nth}", some.blob)
            for item_id, page in pages
            for nth, some in enumerate(page.pairs)
        ]
    items += [(f"{name}:{done.item_id}", page.proposals) for done, page in _replies(results) if page.same]
    opened = {done.item_id for done in done_of(results, step)}
    return [
        Item(id=item_id, step=step, input=MergeInput(proposals=blob))
        for item_id, blob in items
        if item_id not in opened
    ]


def _read(results: Results, step: str, kind: type[Record]) -> list[tuple[Done, Record]]:
    """Return the successful items of a step with their results."""
    return [(done, result) for done in done_of(results, step) if (result := result_of(done, kind))]


def _replies(results: Results) -> list[tuple[Done, AskResult]]:
    return _read(results, _ASK, AskResult)


def _end(results: Results, job: Job, error: str | None) -> End:
    every = [done for phase in sorted(results) for done in results[phase]]
    broken = error or next((done.error for done in every if done.error), None)
    outcome: Json = {"collection": job.collection, "dry_run": job.params["dry_run"]}
    if job.params["undo"]:
        undone = _read(results, _UNDO, UndoResult)
        outcome |= as_json(undone[0][1]) if undone else {}
        useful = bool(undone)
    else:
        outcome |= _counts(results) | {"given_up": sum(1 for done in every if done.error)}
        outcome |= _counts_of_pairs(results, job) if _most_calls(job) else {}
        later = any(_read(results, step, kind) for step, kind in _LATER)
        useful = bool(_read(results, _FIND, FindResult)) and (later or not broken)
        broken = broken or next((page.failed for _done, page in _replies(results) if page.failed), None)
    if not useful:
        outcome["error"] = broken or "stopped before it was done"
        return End(state=JobState.FAILED, outcome=outcome)
    return End(state=JobState.PARTIAL if broken else JobState.DONE, outcome=outcome | {"error": broken})


def _counts(results: Results) -> Json:
    pages = [page for _done, page in _read(results, _FIND, FindResult)]
    replies = [page for _done, page in _replies(results)]
    merges = [page for _done, page in _read(results, _MAKE, MergeResult)]
    return {
        "elements": sum(page.elements for page in pages),
        "found": sum(page.found for page in pages) + sum(page.same for page in replies),
        "made": sum(page.made for page in merges),
        "refused": sum(page.refused for page in merges),
        "proposals": _listed(results, of_likely=False),
    }


def _counts_of_pairs(results: Results, job: Job) -> Json:
    """Return the requests to a model, or in a dry run those it would get."""
    likely = sum(page.likely for _done, page in _read(results, _FIND, FindResult))
    replies = [page for _done, page in _replies(results)]
    judged = sum(page.asked for page in replies)
    made = sum(page.calls for page in replies)
    needed = sum(_calls_for(together) for _item_id, together in _packed(results))
    return {
        "likely": likely,
        "calls": needed if job.params["dry_run"] else made,
        "asked": judged,
        "same": sum(page.same for page in replies),
        "left": likely - judged,
        "pairs": _listed(results, of_likely=True),
    }


def _listed(results: Results, *, of_likely: bool) -> list[list[str]]:
    pages = _read(results, _LIST, MergeListResult)
    wanted = [page for done, page in pages if done.item_id.startswith(_LIKELY) == of_likely]
    return [list(entry) for page in wanted for entry in page.listed][:_LISTED]


NEEDS = frozenset(("neo4j",))

MERGE = Flow(
    kind="merge",
    params=MergeParams,
    steps={
        _FIND: Step(
            find_merges,
            FindInput,
            FindResult,
            activity="looking for doubles",
            queue="bulk",
            priority=3,
            time_limit=600,
            needs=NEEDS,
        ),
        _ASK: Step(
            ask_model,
            AskInput,
            AskResult,
            activity="asking about doubles",
            queue="bulk",
            priority=3,
            time_limit=600,
            needs=frozenset(("model",)),
        ),
        _MAKE: Step(
            make_merges,
            MergeInput,
            MergeResult,
            activity="merging key elements",
            queue="bulk",
            priority=3,
            time_limit=600,
            needs=NEEDS,
        ),
        _LIST: Step(
            list_merges,
            MergeInput,
            MergeListResult,
            activity="listing merges",
            queue="bulk",
            priority=3,
            needs=NEEDS,
        ),
        _UNDO: Step(
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
    writes=frozenset((_MAKE, _LIST)),
)
