"""Builds a concept map's outcome: the graph, and each step's reasoning in words."""

from __future__ import annotations

from collections.abc import Iterator

from hopline.models.jobs import JobState, Json
from workers.concepts.graph import build_graph
from workers.concepts.records import SaveResult
from workers.concepts.results import SAVE, Findings, Round, params_of
from workers.concepts.texts import listed, say
from workers.core.concepts.graph import MapGraph
from workers.core.concepts.maps import SHOWN, Concept, ConceptRelation, by_strength, concept_key
from workers.core.ids import concept_id, relation_id
from workers.core.jobs.flow import Results, done_of, result_of
from workers.core.jobs.work import Done, End, Job

_COUNTED = {
    "defined": "defined",
    "added": "added",
    "changed": "changed",
    "restored": "restored",
    "deleted": "deleted_n",
    "abnormal": "abnormal_n",
}


def build_map_end(findings: Findings, results: Results, job: Job, cut: str | None = None) -> End:
    """Return the end of a job: {concept, state, reason, version, nodes, links, reasoning, dropped}.

    Args:
        findings: results of the phases.
        results: results of the phases.
        job: whose end it is.
        cut: why it ended early, where it did.
    """
    saved = next(iter(done_of(results, SAVE)), None)
    result = result_of(saved, SaveResult) if saved else None
    graph = result or _unsaved_graph(findings, job)
    state, reason = (JobState.PARTIAL, cut) if cut else _state(findings, saved, job)
    outcome: Json = {
        "concept": findings.concept,
        "state": state.value,
        "reason": reason,
        "version": result.version if result else findings.held.version,
        "nodes": [node.model_dump() for node in graph.nodes],
        "links": [link.model_dump(mode="json", exclude_none=True) for link in graph.links],
        "reasoning": [{"step": step, "text": text} for step, text in _reasoning(findings, saved)],
        "dropped": _dropped(findings),
    }
    return End(state=state, outcome=outcome)


def _state(findings: Findings, saved: Done | None, job: Job) -> tuple[JobState, str | None]:
    concept, params = findings.concept, params_of(job)
    if findings.verdict.valid is False:
        return JobState.ABSTAINED, findings.verdict.reason
    if findings.verdict.valid is None:
        return JobState.PARTIAL, _failed_at_first(findings)
    valid = len(findings.kept) + len(findings.new)
    if saved is None or saved.error:
        return JobState.PARTIAL, say(concept, "unsaved", why=(saved and saved.error) or "")
    whys = [attempt.failed for attempt in findings.rounds if attempt.failed]
    # Whoever asks for new relations hears where they could not be had, also of a map that has enough.
    if valid >= params.wanted and not (params.refresh and whys and not findings.new):
        return JobState.DONE, None
    fewer = say(concept, "fewer", n=valid, wanted=params.wanted, rounds=len(findings.rounds))
    if findings.new:
        return JobState.PARTIAL, fewer
    more = say(concept, "no_more") if any(attempt.none for attempt in findings.rounds) else fewer
    return JobState.PARTIAL, say(concept, "nothing_expanded", why=whys[-1] if whys else more)


def _failed_at_first(findings: Findings) -> str:
    why = findings.verdict.failed or ""
    return say(findings.concept, "unvalidated", concept=findings.concept, why=why)


def _unsaved_graph(findings: Findings, job: Job) -> MapGraph:
    """Return the graph of the valid relations if they could not be saved."""
    collection = job.collection
    key = concept_id(collection, concept_key(findings.concept))
    core = Concept(
        id=key,
        collection=collection,
        name=findings.concept,
        domain=findings.verdict.domain,
        definition=findings.verdict.definition,
    )
    relations = list(findings.kept)
    for relation in findings.new:
        target = concept_id(collection, concept_key(relation.name))
        ends = {"id": relation_id(key, target), "source": key, "target": target}
        relations.append(ConceptRelation(**dict(relation), **ends, created="", updated=""))
    if not relations:
        return MapGraph(nodes=(), links=())
    return build_graph(core, sorted(relations, key=by_strength)[:SHOWN])


def _dropped(findings: Findings) -> list[Json]:
    """Return {step, round?, name, reason} of every relation that is not in the map, or not for certain."""
    old = [
        *((doubt.relation.name, doubt.reason) for doubt in findings.bad),
        *((broken.name, broken.why) for broken in findings.held.broken),
        *((doubt.relation.name, doubt.reason) for doubt in findings.unchecked),
    ]
    new = [
        *(("expand", attempt.number, dropped) for attempt in findings.rounds for dropped in attempt.dropped),
        *(
            ("validate", attempt.number, dropped)
            for attempt in findings.rounds
            for dropped in attempt.invalid
        ),
    ]
    return [
        *({"step": "check", "name": name, "reason": reason} for name, reason in old),
        *({"step": step, "round": number, **dropped.model_dump()} for step, number, dropped in new),
    ]


def _reasoning(findings: Findings, saved: Done | None) -> Iterator[tuple[str, str]]:
    """Yield (step, what was found and why) in the order in which it was done."""
    yield from _of_concept(findings)
    if findings.verdict.valid is False:
        return
    yield from _of_old(findings)
    for attempt in findings.rounds:
        yield from _of_round(findings.concept, attempt)
    yield from _of_saving(findings.concept, saved)


def _of_concept(findings: Findings) -> Iterator[tuple[str, str]]:
    concept, verdict = findings.concept, findings.verdict
    if verdict.valid is None:
        yield "validate_concept", _failed_at_first(findings)
    else:
        phrase = "valid" if verdict.valid else "invalid"
        yield "validate_concept", say(concept, phrase, concept=concept, **dict(verdict)).rstrip()


def _of_old(findings: Findings) -> Iterator[tuple[str, str]]:
    concept, held = findings.concept, findings.held
    if findings.unread:
        if findings.verdict.valid:
            yield "read", say(concept, "unread", why=findings.unread)
        return
    if not held.version:
        yield "read", say(concept, "read_nothing")
        return
    yield "read", say(concept, "read", n=len(held.relations), version=held.version)
    for relation in findings.kept:
        phrase = "kept_by_hand" if relation.by else "kept"
        yield "check", say(concept, phrase, name=relation.name, by=relation.by)
    for doubt in findings.bad:
        yield "check", say(concept, "removed", name=doubt.relation.name, reason=doubt.reason)
    for broken in held.broken:
        yield "check", say(concept, "abnormal", name=broken.name, reason=broken.why)
    for doubt in findings.unchecked:
        yield "check", say(concept, "not_checked", name=doubt.relation.name, reason=doubt.reason)


def _of_round(concept: str, attempt: Round) -> Iterator[tuple[str, str]]:
    if attempt.failed:
        yield "expand", say(concept, "not_offered", round=attempt.number, why=attempt.failed)
        return
    names = listed(concept, [f"{relation.name} ({relation.domain})" for relation in attempt.offered])
    phrase = "offered" if attempt.offered else "offered_none"
    counts = {"round": attempt.number, "wanted": attempt.wanted, "n": len(attempt.offered)}
    yield "expand", say(concept, phrase, names=names, **counts)
    for dropped in attempt.dropped:
        yield "expand", say(concept, "dropped", name=dropped.name or "?", reason=dropped.reason)
    for relation in attempt.valid:
        yield "validate", say(concept, "accepted", **dict(relation))
    for dropped in attempt.invalid:
        yield "validate", say(concept, "dropped", **dict(dropped))


def _of_saving(concept: str, saved: Done | None) -> Iterator[tuple[str, str]]:
    result = result_of(saved, SaveResult) if saved else None
    if result is None:
        yield "save", say(concept, "unsaved", why=saved.error if saved else say(concept, "unreached"))
        return
    if not result.version:
        yield "save", say(concept, "unsaved", why=say(concept, "nothing_to_save"))
        return
    if result.saved:
        counts = [say(concept, _COUNTED[change], n=n) for change, n in result.changes.items()]
        yield "save", say(concept, "saved", version=result.version, changes=listed(concept, counts))
    else:
        yield "save", say(concept, "unchanged", version=result.version)
    names = [node.name for node in result.nodes if not node.core]
    if names:
        shown = {"n": result.relations, "shown": len(names), "names": listed(concept, names)}
        yield "graph", say(concept, "shown", **shown)
