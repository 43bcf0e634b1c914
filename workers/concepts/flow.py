"""Flow of a concept map: validate, read, re-check, expand in rounds until enough is valid, save.

A round is two phases: one asks for relations, one judges them side by side. Old relations are checked side by
side, too. Whatever is lost on the way, the last phase saves what is valid and tells what the graph holds.
"""

from __future__ import annotations

from hopline.models.base import Frozen
from hopline.models.jobs import Budget, Json
from workers.concepts.account import build_map_end
from workers.concepts.expand import expand_concept
from workers.concepts.read_map import read_map
from workers.concepts.records import (
    CheckInput,
    CheckResult,
    ConceptInput,
    ConceptResult,
    ExpandInput,
    ExpandResult,
    MapResult,
    RelationInput,
    RelationResult,
    SaveInput,
    SaveResult,
)
from workers.concepts.results import (
    CHECK,
    CHECKED,
    EXPAND,
    JUDGE,
    READ,
    SAVE,
    VALIDATE,
    Findings,
    check_id,
    expand_id,
    gather,
    judge_id,
    missing,
    params_of,
    to_check,
)
from workers.concepts.save_map import save_map
from workers.concepts.verdicts import check_relation, validate_concept, validate_relation
from workers.core.concepts.maps import Related, Retired
from workers.core.jobs.flow import Flow, Results, Step
from workers.core.jobs.params import ConceptParams
from workers.core.jobs.work import End, Item, Job, Phase

_VALIDATING, _READING = range(2)


def _first(job: Job) -> Phase:
    return _phase(VALIDATE, "validate_concept", ConceptInput(concept=params_of(job).concept))


def _phase(step: str, item: str, data: Frozen) -> Phase:
    return Phase(items=(Item(id=item, step=step, input=data),))


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    findings, done = gather(results, job), results.get(phase, ())
    if any(item.step == SAVE for item in done):
        return build_map_end(findings, results, job)
    if phase == _VALIDATING:
        return _after_validating(findings, results, job)
    # A phase of which nothing is left was closed: there is no time, or no call, for another.
    if not done or findings.spent or findings.unread:
        return _save(findings)
    steps = {item.step for item in done}
    if phase == _READING and to_check(findings):
        return _check(findings)
    if EXPAND in steps:
        return _judge(findings, job)
    return _expand(findings, job)


def _after_validating(findings: Findings, results: Results, job: Job) -> Phase | End:
    if findings.verdict.valid is False:
        return build_map_end(findings, results, job)
    if findings.verdict.valid is None:
        return _save(findings)
    return _phase(READ, "read_map", ConceptInput(concept=findings.concept))


def _check(findings: Findings) -> Phase:
    """Return the phase that re-checks old relations in parallel."""
    items = [
        Item(
            id=check_id(relation.id),
            step=CHECK,
            input=CheckInput(id=relation.id, **_relation(findings, relation.offered)),
        )
        for relation in to_check(findings)[:CHECKED]
    ]
    return Phase(items=tuple(items))


def _expand(findings: Findings, job: Job) -> Phase:
    """Return the next round's expansion, or the saving step if no more is wanted or no try is left."""
    wanted, number = missing(findings, job), len(findings.rounds) + 1
    if not wanted or number > params_of(job).tries or any(attempt.none for attempt in findings.rounds):
        return _save(findings)
    expansion = ExpandInput(
        concept=findings.concept,
        domain=findings.verdict.domain,
        definition=findings.verdict.definition,
        round=number,
        wanted=wanted,
        known=tuple(findings.known),
        refused=tuple(findings.refused),
        taken=tuple(findings.taken),
    )
    return _phase(EXPAND, expand_id(number), expansion)


def _judge(findings: Findings, job: Job) -> Phase:
    """Return the phase in which what a round offered is judged, side by side."""
    last = findings.rounds[-1]
    if not last.offered:
        return _expand(findings, job)
    items = [
        Item(
            id=judge_id(last.number, nth),
            step=JUDGE,
            input=RelationInput(**_relation(findings, relation)),
        )
        for nth, relation in enumerate(last.offered)
    ]
    return Phase(items=tuple(items))


def _relation(findings: Findings, relation: Related) -> Json:
    """Return a relation with the core that it is judged beside."""
    core = findings.verdict
    return {
        "concept": findings.concept,
        "domain": core.domain,
        "definition": core.definition,
        "relation": relation,
    }


def _save(findings: Findings) -> Phase:
    draft = SaveInput(
        concept=findings.concept,
        domain=findings.verdict.domain,
        definition=findings.verdict.definition,
        related=tuple(findings.new),
        deleted=tuple(Retired(id=doubt.relation.id, reason=doubt.reason) for doubt in findings.bad),
        abnormal=tuple(Retired(id=broken.id, reason=broken.why) for broken in findings.held.broken),
        unchecked=tuple(doubt.relation.id for doubt in findings.unchecked),
    )
    return _phase(SAVE, "save_map", draft)


def _cut_short(results: Results, job: Job, reason: str) -> End:
    return build_map_end(gather(results, job), results, job, cut=reason)


def _budget(params: ConceptParams) -> Budget:
    return Budget(model_calls=params.max_model_calls, tokens=params.max_tokens)


CONCEPT = Flow(
    kind="concept",
    params=ConceptParams,
    steps={
        VALIDATE: Step(validate_concept, ConceptInput, ConceptResult, activity="validating the concept"),
        READ: Step(read_map, ConceptInput, MapResult, activity="reading what is kept"),
        CHECK: Step(check_relation, CheckInput, CheckResult, activity="checking old relations"),
        EXPAND: Step(expand_concept, ExpandInput, ExpandResult, activity="looking for relations"),
        JUDGE: Step(validate_relation, RelationInput, RelationResult, activity="checking new relations"),
        SAVE: Step(save_map, SaveInput, SaveResult, activity="saving"),
    },
    first=_first,
    advance=_advance,
    cut_short=_cut_short,
    budget=_budget,
    timeout=lambda params: params.timeout,
    writes=frozenset((SAVE,)),
)
