"""Steps that judge concepts and relations by a model: doubtful ones are invalid, reasons are kept short."""

from __future__ import annotations

from workers.concepts.schema import ConceptVerdict, RelationCheck, RelationVerdict
from workers.concepts.texts import say
from workers.core.concepts.disciplines import discipline_named
from workers.core.concepts.maps import REASON, SHORT_REASON, Related, is_written_alike, shortened
from workers.core.errors import BudgetExceeded, Permanent
from workers.core.jobs.work import Event, Json, Outcome
from workers.core.ports import Ports
from workers.core.prompts import Prompt, load_prompt

REPLY_TOKENS = 300
_FAILED = 300  # characters of an error


def failed(error: Permanent | BudgetExceeded) -> Json:
    """Return the result of a failed call; `spent` means that the budget is used up."""
    told: Json = {"failed": shortened(str(error), _FAILED)}
    return told | ({"spent": True} if isinstance(error, BudgetExceeded) else {})


def closing(result: Json) -> str | None:
    """Return why the phase is to end early: the budget is used up."""
    return str(result["failed"]) if result.get("spent") else None


def judge_relation(
    concept: str, relation: Related, ports: Ports, prompt: Prompt, reply: type[RelationVerdict]
) -> Json:
    """Return {valid, reason, failed?, spent?}; valid is None without a verdict.

    Args:
        concept: the core's name.
        relation: what is judged.
        ports: the fast model is asked once.
        prompt: what for.
        reply: the verdict's schema.
    """
    material = {"concept": concept, "relation": relation.model_dump(include=set(Related.model_fields))}
    try:
        told = ports.model.ask(prompt, material, reply, max_tokens=REPLY_TOKENS).value
    except (Permanent, BudgetExceeded) as error:
        return {"valid": None, "reason": say(concept, "unchecked"), **failed(error)}
    if told.verdict == "valid":
        return {"valid": True, "reason": ""}
    return {"valid": False, "reason": why_not(concept, told.verdict, told.reason, SHORT_REASON)}


def why_not(concept: str, verdict: str, reason: str, most: int) -> str:
    """Return the reason of a verdict, of so many characters at most; there always is one."""
    bare = say(concept, "doubtful" if verdict == "doubtful" else "no_reason")
    return shortened(reason, most).rstrip(".。") or bare


def validate_concept(given: Json, ports: Ports) -> Outcome:
    """Return {valid, reason, domain, definition, failed?, spent?}; valid is None without a verdict.

    Args:
        given: {concept}.
        ports: the fast model is asked once.
    """
    concept: str = given["concept"]
    result: Json = {"valid": None, "reason": "", "domain": "", "definition": ""}
    try:
        told = ports.model.ask(
            load_prompt("workers.concepts", "validate_concept"),
            {"concept": concept},
            ConceptVerdict,
            max_tokens=REPLY_TOKENS,
        ).value
    except (Permanent, BudgetExceeded) as error:
        result |= failed(error)
    else:
        result |= _judged(concept, told, ports)
    shown = {"concept": concept, "valid": result["valid"], "reason": result["reason"]}
    events = (Event(name="concept.validated", data=shown),)
    return Outcome(result=result, events=events, close=closing(result))


def _judged(concept: str, told: ConceptVerdict, ports: Ports) -> Json:
    if told.verdict != "valid":
        return {"valid": False, "reason": why_not(concept, told.verdict, told.reason, REASON)}
    known = discipline_named(ports.disciplines, told.domain)
    domain = known.told(concept) if known else told.domain
    # A definition in another language than the concept's would not be understood beside the others.
    definition = told.definition if is_written_alike(concept, told.definition) else ""
    return {"valid": True, "domain": domain, "definition": definition}


def check_relation(given: Json, ports: Ports) -> Outcome:
    """Return {id, valid, reason, failed?, spent?}; valid is None without a verdict.

    Args:
        given: {concept, id, relation: {name, domain, definition, relation, strength}}.
        ports: the fast model is asked once.
    """
    relation = Related.read_stored(given["relation"])
    prompt = load_prompt("workers.concepts", "check_relation")
    told = judge_relation(given["concept"], relation, ports, prompt, RelationCheck)
    shown = {"name": relation.name, "valid": told["valid"], "reason": told["reason"]}
    events = (Event(name="relation.checked", data=shown),)
    return Outcome(result={"id": given["id"], **told}, events=events, close=closing(told))


def validate_relation(given: Json, ports: Ports) -> Outcome:
    """Return {valid, reason, failed?, spent?}; valid is None without a verdict.

    Args:
        given: {concept, relation: {name, domain, definition, relation, strength}}.
        ports: the fast model is asked once.
    """
    relation = Related.read_stored(given["relation"])
    prompt = load_prompt("workers.concepts", "validate_relation")
    told = judge_relation(given["concept"], relation, ports, prompt, RelationVerdict)
    shown = {
        "name": relation.name,
        "domain": relation.domain,
        "valid": told["valid"],
        "reason": told["reason"],
    }
    return Outcome(result=told, events=(Event(name="relation.validated", data=shown),), close=closing(told))
