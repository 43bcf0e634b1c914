"""Flow of a concept map: validate, read, re-check, expand in rounds until enough is valid, save.

A round has two phases: one requests relations, one judges them in parallel. Old relations are checked in
parallel, too. Whatever fails on the way, the last phase saves the valid relations and returns the stored map.
"""

from __future__ import annotations

from collections.abc import Sequence

from hopline.errors import Permanent
from hopline.events.concepts import ConceptSaved, RelationsExpanded, RelationsRead
from hopline.models.base import Frozen
from hopline.models.concepts import Change
from hopline.models.jobs import Budget, Json
from workers.concepts.account import build_map_end
from workers.concepts.graph import graph_of
from workers.concepts.records import (
    CheckInput,
    CheckResult,
    ConceptInput,
    ConceptResult,
    DroppedName,
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
from workers.concepts.schema import ConceptExpansion, whole_relations
from workers.concepts.texts import say
from workers.concepts.verdicts import check_relation, closing, failure, validate_concept, validate_relation
from workers.core.concepts.disciplines import Discipline, discipline_named, open_disciplines
from workers.core.concepts.maps import (
    Concept,
    ConceptMap,
    MapDraft,
    Related,
    Retired,
    concept_key,
    is_written_alike,
)
from workers.core.errors import BudgetExceeded, ModelRefusedSchema
from workers.core.ids import concept_id
from workers.core.jobs.flow import Flow, Results, Step
from workers.core.jobs.params import ConceptParams
from workers.core.jobs.work import End, Item, Job, Outcome, Phase
from workers.core.ports import Ports
from workers.core.prompts import load_prompt

_TOKENS_A_RELATION = 400
_NAMES = 60  # known and refused ones that the model reads


def expand_concept(wanted: ExpandInput, ports: Ports) -> Outcome:
    """Ask for new relations.

    If a reply does not fit its schema even after a repair, complete relations are kept and the others
    dropped.

    Args:
        wanted: how many, and which not.
        ports: the strong model is asked once.
    """
    result = _expanded(wanted, ports)
    event = RelationsExpanded(round=wanted.round, names=tuple(relation.name for relation in result.offered))
    return Outcome(result=result, events=(event,), close=closing(result))


def _expanded(wanted: ExpandInput, ports: Ports) -> ExpandResult:
    open_to = open_disciplines(ports.disciplines, wanted.domain, wanted.taken, wanted.wanted)
    names = [discipline.get_name_for(wanted.concept) for discipline in open_to]
    try:
        relations, malformed = _request_relations(wanted, names, ports)
    except (Permanent, BudgetExceeded) as error:
        return ExpandResult(wanted=wanted.wanted, offered=(), dropped=(), none=False, **dict(failure(error)))
    offered, dropped = _sifted(wanted, relations, open_to)
    lost = [DroppedName(name="", reason=say(wanted.concept, "malformed"))] * malformed
    return ExpandResult(
        wanted=wanted.wanted,
        offered=tuple(offered),
        dropped=(*dropped, *lost),
        none=not relations and not malformed,
    )


def _request_relations(wanted: ExpandInput, names: list[str], ports: Ports) -> tuple[list[Related], int]:
    """Return the model's proposals, and the number of malformed ones."""
    material = {
        "concept": wanted.concept,
        "domain": wanted.domain,
        "definition": wanted.definition,
        "wanted": wanted.wanted,
        "disciplines": names,
        "known": list(wanted.known[:_NAMES]),
        "refused": list(wanted.refused[:_NAMES]),
    }
    prompt = load_prompt("workers.concepts", "expand")
    room = 200 + _TOKENS_A_RELATION * wanted.wanted
    try:
        reply = ports.model.ask(prompt, material, ConceptExpansion, tier="strong", max_tokens=room)
    except ModelRefusedSchema as error:
        whole, malformed = whole_relations(error.content)
        if not whole:
            raise
        return whole, malformed
    return reply.value.relations, 0


def _sifted(
    wanted: ExpandInput, relations: Sequence[Related], open_to: Sequence[Discipline]
) -> tuple[list[Related], list[DroppedName]]:
    """Return the relations that may go into the map, and why others may not."""
    kept: dict[str, Related] = {}
    dropped: list[DroppedName] = []
    used: set[str] = set()
    for relation in relations:
        discipline = discipline_named(open_to, relation.domain)
        why = _fault(wanted, relation, kept) or _placing_fault(discipline, used)
        if not why and len(kept) == wanted.wanted:
            why = "surplus"
        if why or not discipline:
            dropped.append(DroppedName(name=relation.name, reason=say(wanted.concept, why)))
            continue
        used.add(discipline.name)
        domain = discipline.get_name_for(wanted.concept)
        kept[concept_key(relation.name)] = relation.model_copy(update={"domain": domain})
    return list(kept.values()), dropped


def _fault(wanted: ExpandInput, relation: Related, kept: dict[str, Related]) -> str:
    """Return the fault of a relation, independent of its discipline; "" if there is none."""
    key = concept_key(relation.name)
    if key == concept_key(wanted.concept):
        return "itself"
    if key in kept or key in map(concept_key, wanted.known):
        return "there"
    if key in map(concept_key, wanted.refused):
        return "refused"
    # Text by text: a long one would hide that the other is in another language.
    texts = (relation.definition, relation.relation)
    return "" if all(is_written_alike(wanted.concept, text) for text in texts) else "language"


def _placing_fault(discipline: Discipline | None, used: set[str]) -> str:
    if discipline is None:
        return "discipline"
    return "same_discipline" if discipline.name in used else ""


_CHANGES: tuple[Change, ...] = ("defined", "added", "changed", "restored", "deleted", "abnormal")
_VALIDATING, _READING = range(2)


def save_map(draft: SaveInput, ports: Ports) -> Outcome:
    """Save a map.

    Saving twice makes one version; saving without changes makes none.

    Args:
        draft: what becomes of it.
        ports: the store is written once.
    """
    held = ports.concepts.save_map(_draft(draft, ports.job.collection), _saver(ports.job))
    if held is None:
        nothing = SaveResult(version=0, saved=False, changes={}, relations=0, nodes=(), links=())
        return Outcome(result=nothing)
    changes = _changes(held, ports)
    graph = graph_of(held, ports.concepts, unchecked=draft.unchecked)
    result = SaveResult(
        version=held.version,
        saved=bool(changes),
        changes=changes,
        relations=len(held.relations),
        nodes=graph.nodes,
        links=graph.links,
    )
    return Outcome(result=result, events=(ConceptSaved(version=held.version),) if changes else ())


def _draft(draft: SaveInput, collection: str) -> MapDraft:
    return MapDraft(
        concept=Concept(
            id=concept_id(collection, concept_key(draft.concept)),
            collection=collection,
            name=draft.concept,
            domain=draft.domain,
            definition=draft.definition,
        ),
        related=draft.related,
        deleted=draft.deleted,
        abnormal=draft.abnormal,
    )


def _saver(job: Job) -> str:
    """Return the id under which to save: retries of a job may add results, repeats of an item not."""
    return job.id if job.epoch == 1 else f"{job.id}#{job.epoch}"


def _changes(held: ConceptMap, ports: Ports) -> dict[str, int]:
    """Count this job's changes by kind, those made before a crash included."""
    versions = ports.concepts.concept_versions(held.concept.collection, held.concept.name, limit=20)
    mine = [
        change.change
        for version in versions
        if version.job == _saver(ports.job)
        for change in version.changes
    ]
    return {change: mine.count(change) for change in _CHANGES if change in mine}


def read_map(concept: ConceptInput, ports: Ports) -> Outcome:
    """Read what is kept of a concept's map.

    Args:
        concept: whose map.
        ports: the store is read once.
    """
    held = ports.concepts.concept_map(ports.job.collection, concept.concept)
    result = MapResult(
        version=held.version if held else 0,
        relations=held.relations if held else (),
        retired=held.retired if held else (),
        banned=held.banned if held else (),
        broken=held.broken if held else (),
    )
    event = RelationsRead(n=len(result.relations), broken=len(result.broken), version=result.version)
    return Outcome(result=result, events=(event,))


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
    # A phase with nothing left was closed: there is no time, or no call, for another.
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
    """Return the phase that judges a round's proposals in parallel."""
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
