"""Shared parts of the strategies' flows: how a question begins and how its outcome is built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from workers.core.jobs.flow import Results, only_item
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Done, End, Item, Job, JobState, Json, Phase
from workers.core.model import FinalFact
from workers.flows.graph_results import WRITING

DELIVERED: Final = 2.0  # seconds in which a chain or chord brings the item; then the watchdog does
_EVIDENCE = 50  # facts that a partial answer lists


def params_of(job: Job) -> QueryParams:
    """Return the requested parameters."""
    return QueryParams.read_stored(job.params)


def planning(step: str, job: Job) -> Phase:
    """Return the first phase: the step that plans."""
    given = {"question": params_of(job).question, "history": []}
    return Phase(items=(Item(id=only_item(step), step=step, input=given),))


def written_of(results: Results) -> tuple[JobState, str | None, Json]:
    """Return how the writing ended; see `written_in`."""
    return written_in(results.get(WRITING, ()))


def written_in(done: Sequence[Done]) -> tuple[JobState, str | None, Json]:
    """Return how the writing ended: state, reason, and what was written; {} if nothing was."""
    if not done or done[0].error:
        why = done[0].error if done else "it was not begun"
        return JobState.PARTIAL, f"The answer could not be written: {why}", {}
    written = done[0].result
    return JobState(written["state"]), written["reason"], written


def told_answer(
    state: JobState,
    reason: str | None,
    written: Json,
    *,
    walk: Sequence[Json],
    details: Json,
    final: Sequence[FinalFact],
    calls: Json | None = None,
) -> End:
    """Return the answer but for what only the runner knows; a partial one lists its evidence.

    Args:
        state: how the job ends.
        reason: why it ends so, where that is not plain.
        written: what the writing step returned; {} if it did not come to that.
        walk: the nodes that were read.
        details: the strategy's own; those of the writing step are added.
        final: facts over the threshold, best first.
        calls: of tools, by id, that citations name.
    """
    told = details | written.get("details", {})
    if state is JobState.PARTIAL:
        told["evidence_so_far"] = [fact.model_dump(exclude_none=True) for fact in final[:_EVIDENCE]]
    outcome = {
        "text": written.get("text", ""),
        "reason": reason,
        "missing": written.get("missing", []),
        "citations": written.get("citations", []),
        "walk": walk,
        "details": told,
        **({"calls": calls} if calls else {}),
    }
    return End(state=state, outcome=outcome)
