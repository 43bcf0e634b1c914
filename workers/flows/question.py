"""Shared parts of the strategies' flows: how a question begins and how its outcome is built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from hopline.models.jobs import JobState, Json
from workers.core.jobs.flow import Results, only_item, result_of
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Done, End, Item, Job, Phase, as_json
from workers.core.records import FinalFact
from workers.critic.synthesize import WritingResult
from workers.flows.graph_results import WRITING
from workers.traverse.plan import PlanInput

DELIVERED: Final = 2.0  # seconds in which a chain or chord brings the item; then the watchdog does
_EVIDENCE = 50  # facts that a partial answer lists


def params_of(job: Job) -> QueryParams:
    """Return the requested parameters."""
    return QueryParams.read_stored(job.params)


def planning(step: str, job: Job) -> Phase:
    """Return the first phase: the step that plans."""
    question = PlanInput(question=job.params["question"], history=())
    return Phase(items=(Item(id=only_item(step), step=step, input=question),))


def unwritten(
    state: JobState, reason: str | None, *, text: str = "", rests_on: tuple[str, ...] | None = None
) -> WritingResult:
    """Return how a job ends for which nothing was written, or only a text that cites nothing.

    Args:
        state: of the job.
        reason: why it is not done.
        text: without citations.
        rests_on: () where the words are the same whatever was read; None where an error may tell of it.
    """
    return WritingResult(
        state=state, text=text, reason=reason, missing=(), citations=(), details={}, rests_on=rests_on
    )


def nothing_found(absent: str, failed: Sequence[str], *, read: int, parts: str) -> WritingResult:
    """Return how a job ends that found no evidence: a failure is never reported as absence.

    Args:
        absent: the reason where everything could be read.
        failed: why parts could not be read, one reason a part.
        read: how many parts could be.
        parts: what they are called, such as "nodes".
    """
    if not failed:
        return unwritten(JobState.ABSTAINED, absent, rests_on=())
    if not read:
        return unwritten(JobState.FAILED, f"Nothing could be read: {failed[0]}")
    share = f"{len(failed)} of {read + len(failed)} {parts} failed"
    why = f"Nothing was found, but not everything could be read: {share}. The first failure: {failed[0]}"
    return unwritten(JobState.PARTIAL, why)


def written_of(results: Results) -> WritingResult:
    """Return how the writing ended; see `written_in`."""
    return written_in(results.get(WRITING, ()))


def written_in(done: Sequence[Done]) -> WritingResult:
    """Return what was written, or why it could not be."""
    if done and (written := result_of(done[0], WritingResult)):
        return written
    why = done[0].error if done else "it was not begun"
    return unwritten(JobState.PARTIAL, f"The answer could not be written: {why}")


def build_answer_end(
    written: WritingResult,
    *,
    walk: Sequence[Json],
    details: Json,
    final: Sequence[FinalFact],
    prompts: Mapping[str, str],
    calls: Json | None = None,
) -> End:
    """Return the answer but for what only the runner knows; a partial one lists its evidence.

    Args:
        written: how the writing ended, or `unwritten`.
        walk: the nodes that were read.
        details: the strategy's own; those of the writing step are added.
        final: facts over the threshold, best first.
        prompts: versions of the strategy's prompts, by name.
        calls: of tools, by id, that citations name.
    """
    details = details | written.details | {"prompts": dict(prompts)}
    if written.state is JobState.PARTIAL:
        details["evidence_so_far"] = [fact.model_dump(exclude_none=True) for fact in final[:_EVIDENCE]]
    outcome = {
        "text": written.text,
        "reason": written.reason,
        "missing": list(written.missing),
        "citations": list(written.citations),
        **({"calculations": list(map(as_json, written.calculations))} if written.calculations else {}),
        "walk": walk,
        "details": details,
        **({} if written.rests_on is None else {"rests_on": list(written.rests_on)}),
        **({"calls": calls} if calls else {}),
    }
    return End(state=written.state, outcome=outcome)
