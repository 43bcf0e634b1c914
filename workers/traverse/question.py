"""Shared parts of the strategies' flows: planning, scoring facts, and building the outcome."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from hopline.models.base import Frozen
from hopline.models.jobs import Budget, JobState, Json
from workers.core.answers.evidence import fact_key, scored
from workers.core.jobs.flow import Results, only_item, result_of
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Done, End, Item, Job, Phase, as_json
from workers.core.records import FinalFact, QuotedFact, RankedFact, ScoredFact
from workers.critic.score import FactRelevance, ScorableFact, ScoreInput, ScoreResult
from workers.critic.synthesize import WritingResult
from workers.traverse.plan import PlanInput

KIND: Final = "query"
PLANNING, SEEDING, VISITING, SCORING, WRITING = range(5)
SCORE: Final = "critic.score_fact"
TAIL_CALLS: Final = 2  # one summary, one answer
_SCORE, _BETWEEN = "score:", "+"
_SCORED = 200  # facts at most that critics see
_ASKED_AGAIN = 10  # one call in so many may need a second one, which must not cost the answer
DELIVERED: Final = 2.0  # seconds in which a chain or chord brings the item; then the watchdog does
_EVIDENCE = 50  # facts that a partial answer lists
_LISTED = 20  # failures that are named one by one


class _Failure(Frozen):
    """What results of all steps have in common."""

    failed: str | None = None  # why there is none, or only a part


def params_of(job: Job) -> QueryParams:
    """Return the job's parameters."""
    return QueryParams.read_stored(job.params)


def budget_of(params: QueryParams) -> Budget:
    """Return the model budget of a question."""
    return Budget(model_calls=params.max_model_calls, tokens=params.max_tokens)


def timeout_of(params: QueryParams) -> float | None:
    """Return the time limit of a question in seconds."""
    return params.timeout


def planning(step: str, job: Job) -> Phase:
    """Return the first phase: the step that plans."""
    question = PlanInput(question=job.params["question"], history=())
    return Phase(items=(Item(id=only_item(step), step=step, input=question),))


def unwritten(
    state: JobState, reason: str | None, *, text: str = "", rests_on: tuple[str, ...] | None = None
) -> WritingResult:
    """Return the end of a job for which nothing was written, or only a text without citations.

    Args:
        state: state of the job.
        reason: why it is not done.
        text: a text without citations.
        rests_on: () if the words do not depend on what was read; None if an error text may reveal some of it.
    """
    return WritingResult(
        state=state, text=text, reason=reason, missing=(), citations=(), details={}, rests_on=rests_on
    )


def nothing_found(absent: str, failed: Sequence[str], *, read: int, parts: str) -> WritingResult:
    """Return the end of a job that found no evidence: a failure is never reported as absence.

    Args:
        absent: the reason if everything could be read.
        failed: why parts could not be read, one reason per part.
        read: number of parts that could be read.
        parts: name of the parts, such as "nodes".
    """
    if not failed:
        return unwritten(JobState.ABSTAINED, absent, rests_on=())
    if not read:
        return unwritten(JobState.FAILED, f"Nothing could be read: {failed[0]}")
    share = f"{len(failed)} of {read + len(failed)} {parts} failed"
    why = f"Nothing was found, but not everything could be read: {share}. The first failure: {failed[0]}"
    return unwritten(JobState.PARTIAL, why)


def written_of(results: Results) -> WritingResult:
    """Return the result of the writing step; see `written_in`."""
    return written_in(results.get(WRITING, ()))


def written_in(done: Sequence[Done]) -> WritingResult:
    """Return the written answer, or the reason why there is none."""
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
    """Return the answer except for what only the runner knows; a partial one lists its evidence.

    Args:
        written: result of the writing step, or of `unwritten`.
        walk: the nodes that were read.
        details: the strategy's details; those of the writing step are added.
        final: facts above the threshold, best first.
        prompts: versions of the strategy's prompts, by name.
        calls: tool calls that citations refer to, by id.
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


def score_id(texts: Iterable[str]) -> str:
    """Return the id of the item that scores facts; see `scored_keys`."""
    return _SCORE + _BETWEEN.join(map(fact_key, texts))


def scored_keys(item_id: str) -> list[str]:
    """Return the keys of the facts that an item scores, in its order."""
    return item_id.removeprefix(_SCORE).split(_BETWEEN)


def scoring(
    facts: Sequence[QuotedFact], question: str, sub_questions: Sequence[str], per_critic: int
) -> list[Item]:
    """Return the items that score facts, each at most `per_critic`, distributed evenly.

    Facts of one document are scored together, so that instructions in a hostile document affect only its own
    facts.
    """
    if not facts:
        return []
    facts = sorted(facts, key=lambda fact: fact.title)
    size = math.ceil(len(facts) / math.ceil(len(facts) / per_critic))
    return [
        _score_of(facts[start : start + size], question, sub_questions)
        for start in range(0, len(facts), size)
    ]


def _score_of(facts: Sequence[QuotedFact], question: str, sub_questions: Sequence[str]) -> Item:
    first, *others = [ScorableFact(fact=fact.fact_text, title=fact.title, quote=fact.quote) for fact in facts]
    score = ScoreInput(
        **dict(first), question=question, sub_questions=tuple(sub_questions), others=tuple(others)
    )
    return Item(id=score_id(fact.fact_text for fact in facts), step=SCORE, input=score)


def scores_afforded(most_calls: int, spent: int, per_critic: int) -> int:
    """Return how many facts critics may see, leaving enough calls for the writing."""
    left = most_calls - spent - TAIL_CALLS
    return max(1, min(_SCORED, (left - (left + spent) // _ASKED_AGAIN) * per_critic))


def with_scores(facts: Sequence[RankedFact], results: Results, job: Job) -> list[ScoredFact]:
    """Return raw facts with the critics' scores, the default score, or their search rank."""
    default = QueryParams.read_stored(job.params).default_score
    relevances: dict[str, FactRelevance | None] = {}
    for phase in results.values():
        for done in phase:
            if done.step == SCORE:
                relevances |= _relevance_by_key(done)
    return [_scored(fact, relevances, default) for fact in facts]


def _relevance_by_key(done: Done) -> dict[str, FactRelevance | None]:
    """Return a critic's relevance of its facts by key; None for all if the critic failed.

    A worker that knows one fact a critic has scored the first alone: the others are not among them.
    """
    keys, result = scored_keys(done.item_id), result_of(done, ScoreResult)
    return dict(zip(keys, (result, *result.others), strict=False)) if result else dict.fromkeys(keys)


def _scored(fact: RankedFact, relevances: Mapping[str, FactRelevance | None], default: float) -> ScoredFact:
    key = fact_key(fact.fact_text)
    relevance = relevances.get(key)
    if key not in relevances or (relevance and relevance.score is None):
        return scored(fact, fact.search_score, fact.title, "unscored")
    if relevance is None or relevance.score is None:
        return scored(fact, default, fact.title, "default")
    return scored(fact, relevance.score, relevance.source_description, relevance.scored_by)


def failed_steps(results: Results, walking: str) -> Json:
    """Return why plan, search, items of the walk (named `walking`) and critics failed."""
    failed: Json = {}
    for name, phase in (("plan_failed", PLANNING), ("search_failed", SEEDING)):
        reasons = [reason for done in results.get(phase, ())[:1] if (reason := failure_of(done))]
        if reasons:
            failed[name] = reasons[0]
    for name, phase in ((walking, VISITING), ("scores_failed", SCORING)):
        listed = [
            {"item": done.item_id, "reason": reason}
            for done in results.get(phase, ())
            if (reason := failure_of(done))
        ]
        if listed:
            failed[name] = {"count": len(listed), "items": listed[:_LISTED]}
    return failed


def unsure_scores(facts: Sequence[ScoredFact]) -> Json:
    """Return the number of facts whose score does not come from a critic."""
    unsure: Json = {}
    for kind in ("default", "unscored"):
        count = sum(fact.scored_by == kind and not fact.looked_up for fact in facts)
        if count:
            unsure[f"{kind}_scores"] = count
    return unsure


def failure_of(done: Done) -> str | None:
    """Return why an item, or a part of its step, failed; None if nothing did."""
    return done.error or _Failure.read_stored(done.result).failed
