"""Steps that judge concepts and relations by a model: doubtful ones are invalid, reasons are kept short."""

from __future__ import annotations

from hopline.errors import Permanent
from hopline.events.concepts import ConceptValidated, RelationChecked, RelationValidated
from hopline.words import shortened
from workers.concepts.records import (
    CheckInput,
    CheckResult,
    ConceptInput,
    ConceptResult,
    ModelResult,
    RelationInput,
    RelationResult,
)
from workers.concepts.schema import ConceptVerdict, RelationCheck, RelationVerdict
from workers.concepts.texts import say
from workers.core.concepts.disciplines import discipline_named
from workers.core.concepts.maps import REASON, SHORT_REASON, is_written_alike
from workers.core.errors import BudgetExceeded
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.core.prompts import Prompt, load_prompt

REPLY_TOKENS = 300
_FAILED = 300  # characters of an error


def failure(error: Permanent | BudgetExceeded) -> ModelResult:
    """Return the result of a failed call."""
    return ModelResult(failed=shortened(str(error), _FAILED), spent=isinstance(error, BudgetExceeded))


def closing(result: ModelResult) -> str | None:
    """Return why the phase is to end early: the budget is used up."""
    return result.failed if result.spent else None


def judge_relation(
    relation: RelationInput, ports: Ports, prompt: Prompt, reply: type[RelationVerdict]
) -> RelationResult:
    """Ask whether a relation holds.

    Args:
        relation: the relation to judge.
        ports: the fast model is asked once.
        prompt: what for.
        reply: the verdict's schema.
    """
    concept = relation.concept
    material = {
        "concept": concept,
        "domain": relation.domain,
        "definition": relation.definition,
        "relation": relation.relation.model_dump(),
    }
    try:
        verdict = ports.model.ask(prompt, material, reply, max_tokens=REPLY_TOKENS).value
    except (Permanent, BudgetExceeded) as error:
        return RelationResult(valid=None, reason=say(concept, "unchecked"), **dict(failure(error)))
    if verdict.verdict == "valid":
        return RelationResult(valid=True, reason="")
    reason = why_not(concept, verdict.verdict, verdict.reason, SHORT_REASON)
    return RelationResult(valid=False, reason=reason)


def why_not(concept: str, verdict: str, reason: str, most: int) -> str:
    """Return the reason of a verdict, which always exists, cut to a maximum length."""
    bare = say(concept, "doubtful" if verdict == "doubtful" else "no_reason")
    return shortened(reason, most).rstrip(".。") or bare


def validate_concept(concept: ConceptInput, ports: Ports) -> Outcome:
    """Ask whether it is a concept.

    Args:
        concept: its name.
        ports: the fast model is asked once.
    """
    result = _judged(concept.concept, ports)
    event = ConceptValidated(concept=concept.concept, valid=result.valid, reason=result.reason)
    return Outcome(result=result, events=(event,), close=closing(result))


def _judged(concept: str, ports: Ports) -> ConceptResult:
    prompt = load_prompt("workers.concepts", "validate_concept")
    try:
        verdict = ports.model.ask(prompt, {"concept": concept}, ConceptVerdict, max_tokens=REPLY_TOKENS).value
    except (Permanent, BudgetExceeded) as error:
        return ConceptResult(valid=None, reason="", domain="", definition="", **dict(failure(error)))
    if verdict.verdict != "valid":
        reason = why_not(concept, verdict.verdict, verdict.reason, REASON)
        return ConceptResult(valid=False, reason=reason, domain="", definition="")
    known = discipline_named(ports.disciplines, verdict.domain)
    # A definition in another language than the concept's would not be understood beside the others.
    definition = verdict.definition if is_written_alike(concept, verdict.definition) else ""
    domain = known.get_name_for(concept) if known else verdict.domain
    return ConceptResult(valid=True, reason="", domain=domain, definition=definition)


def check_relation(relation: CheckInput, ports: Ports) -> Outcome:
    """Ask whether a kept relation still holds.

    Args:
        relation: as kept.
        ports: the fast model is asked once.
    """
    prompt = load_prompt("workers.concepts", "check_relation")
    verdict = judge_relation(relation, ports, prompt, RelationCheck)
    result = CheckResult(id=relation.id, **dict(verdict))
    event = RelationChecked(name=relation.relation.name, valid=result.valid, reason=result.reason)
    return Outcome(result=result, events=(event,), close=closing(result))


def validate_relation(relation: RelationInput, ports: Ports) -> Outcome:
    """Ask whether a new relation holds.

    Args:
        relation: as it was offered.
        ports: the fast model is asked once.
    """
    prompt = load_prompt("workers.concepts", "validate_relation")
    result = judge_relation(relation, ports, prompt, RelationVerdict)
    event = RelationValidated(
        name=relation.relation.name,
        domain=relation.relation.domain,
        valid=result.valid,
        reason=result.reason,
    )
    return Outcome(result=result, events=(event,), close=closing(result))
