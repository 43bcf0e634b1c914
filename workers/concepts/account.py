"""Builds a concept map's outcome: the graph, and each step's reasoning in words."""

from __future__ import annotations

from collections.abc import Iterator

from workers.concepts.graph import told_graph
from workers.concepts.results import SAVE, Gathered, Round, params_of
from workers.concepts.texts import listed, say
from workers.core.concepts.maps import SHOWN, Concept, ConceptRelation, by_strength, concept_key
from workers.core.ids import concept_id, relation_id
from workers.core.jobs.flow import Results, done_of
from workers.core.jobs.work import Done, End, Job, JobState, Json

_COUNTED = {
    "defined": "defined",
    "added": "added",
    "changed": "changed",
    "restored": "restored",
    "deleted": "deleted_n",
    "abnormal": "abnormal_n",
}


def told_map(found: Gathered, results: Results, job: Job, cut: str | None = None) -> End:
    """Return the end of a job: {concept, state, reason, version, nodes, links, reasoning, dropped}.

    Args:
        found: what the phases have brought.
        results: of the phases.
        job: whose end it is.
        cut: why it ended early, where it did.
    """
    saved = next(iter(done_of(results, SAVE)), None)
    graph = saved.result if saved and not saved.error else _unsaved_graph(found, job)
    state, reason = (JobState.PARTIAL, cut) if cut else _state(found, saved, job)
    outcome: Json = {
        "concept": found.concept,
        "state": state.value,
        "reason": reason,
        "version": graph["version"],
        "nodes": graph["nodes"],
        "links": graph["links"],
        "reasoning": [{"step": step, "text": text} for step, text in _reasoning(found, saved)],
        "dropped": _dropped(found),
    }
    return End(state=state, outcome=outcome)


def _state(found: Gathered, saved: Done | None, job: Job) -> tuple[JobState, str | None]:
    concept, params = found.concept, params_of(job)
    if found.verdict["valid"] is False:
        return JobState.ABSTAINED, found.verdict["reason"]
    if found.verdict["valid"] is None:
        return JobState.PARTIAL, _failed_at_first(found)
    valid = len(found.kept) + len(found.new)
    if saved is None or saved.error:
        return JobState.PARTIAL, say(concept, "unsaved", why=(saved and saved.error) or "")
    whys = [one.failed for one in found.rounds if one.failed]
    # Who asks for new relations is told where they could not be had, also of a map that has enough.
    if valid >= params.wanted and not (params.refresh and whys and not found.new):
        return JobState.DONE, None
    fewer = say(concept, "fewer", n=valid, wanted=params.wanted, rounds=len(found.rounds))
    if found.new:
        return JobState.PARTIAL, fewer
    more = say(concept, "no_more") if any(one.none for one in found.rounds) else fewer
    return JobState.PARTIAL, say(concept, "nothing_expanded", why=whys[-1] if whys else more)


def _failed_at_first(found: Gathered) -> str:
    why = found.verdict.get("failed", "")
    return say(found.concept, "unvalidated", concept=found.concept, why=why)


def _unsaved_graph(found: Gathered, job: Job) -> Json:
    """Return {nodes, links, version} of the valid relations if they could not be saved."""
    collection = job.collection
    key = concept_id(collection, concept_key(found.concept))
    core = Concept(
        id=key,
        collection=collection,
        name=found.concept,
        domain=found.verdict.get("domain", ""),
        definition=found.verdict.get("definition", ""),
    )
    relations = [ConceptRelation.read_stored(one) for one in found.kept]
    for one in found.new:
        target = concept_id(collection, concept_key(one["name"]))
        ends = {"id": relation_id(key, target), "source": key, "target": target}
        relations.append(ConceptRelation.read_stored({**one, **ends, "created": "", "updated": ""}))
    graph = told_graph(core, sorted(relations, key=by_strength)[:SHOWN])
    nothing: Json = {"nodes": [], "links": []}
    return {**(graph if relations else nothing), "version": found.held["version"]}


def _dropped(found: Gathered) -> list[Json]:
    """Return {step, round?, name, reason} of every relation that is not in the map, or not for certain."""
    broken = [{**one, "reason": one["why"]} for one in found.held["broken"]]
    old = [
        {"step": "check", "name": one["name"], "reason": one["reason"]}
        for one in (*found.bad, *broken, *found.unchecked)
    ]
    return [
        *old,
        *({"step": "expand", "round": each.number, **one} for each in found.rounds for one in each.dropped),
        *({"step": "validate", "round": each.number, **one} for each in found.rounds for one in each.invalid),
    ]


def _reasoning(found: Gathered, saved: Done | None) -> Iterator[tuple[str, str]]:
    """Yield (step, what was found and why) in the order in which it was done."""
    yield from _of_concept(found)
    if found.verdict["valid"] is False:
        return
    yield from _of_old(found)
    for one in found.rounds:
        yield from _of_round(found.concept, one)
    yield from _of_saving(found.concept, saved)


def _of_concept(found: Gathered) -> Iterator[tuple[str, str]]:
    concept, verdict = found.concept, found.verdict
    if verdict["valid"] is None:
        yield "validate_concept", _failed_at_first(found)
    else:
        phrase = "valid" if verdict["valid"] else "invalid"
        yield "validate_concept", say(concept, phrase, **{**verdict, "concept": concept}).rstrip()


def _of_old(found: Gathered) -> Iterator[tuple[str, str]]:
    concept, held = found.concept, found.held
    if found.unread:
        if found.verdict["valid"]:
            yield "read", say(concept, "unread", why=found.unread)
        return
    if not held["version"]:
        yield "read", say(concept, "read_nothing")
        return
    yield "read", say(concept, "read", n=len(held["relations"]), version=held["version"])
    for one in found.kept:
        phrase = "kept_by_hand" if one.get("by") else "kept"
        yield "check", say(concept, phrase, name=one["name"], by=one.get("by", ""))
    for one in found.bad:
        yield "check", say(concept, "removed", **one)
    for one in held["broken"]:
        yield "check", say(concept, "abnormal", name=one["name"], reason=one["why"])
    for one in found.unchecked:
        yield "check", say(concept, "not_checked", **one)


def _of_round(concept: str, one: Round) -> Iterator[tuple[str, str]]:
    if one.failed:
        yield "expand", say(concept, "not_offered", round=one.number, why=one.failed)
        return
    names = listed(concept, [f"{each['name']} ({each['domain']})" for each in one.offered])
    phrase = "offered" if one.offered else "offered_none"
    yield "expand", say(concept, phrase, round=one.number, wanted=one.wanted, n=len(one.offered), names=names)
    for each in one.dropped:
        yield "expand", say(concept, "dropped", name=each["name"] or "?", reason=each["reason"])
    for each in one.valid:
        yield "validate", say(concept, "accepted", **each)
    for each in one.invalid:
        yield "validate", say(concept, "dropped", **each)


def _of_saving(concept: str, saved: Done | None) -> Iterator[tuple[str, str]]:
    if saved is None or saved.error:
        yield "save", say(concept, "unsaved", why=saved.error if saved else say(concept, "unreached"))
        return
    told = saved.result
    if not told["version"]:
        yield "save", say(concept, "unsaved", why=say(concept, "nothing_to_save"))
        return
    if told["saved"]:
        counts = [say(concept, _COUNTED[change], n=n) for change, n in told["changes"].items()]
        yield "save", say(concept, "saved", version=told["version"], changes=listed(concept, counts))
    else:
        yield "save", say(concept, "unchanged", version=told["version"])
    names = [node["name"] for node in told["nodes"] if not node["core"]]
    if names:
        shown = {"n": told["relations"], "shown": len(names), "names": listed(concept, names)}
        yield "graph", say(concept, "shown", **shown)
