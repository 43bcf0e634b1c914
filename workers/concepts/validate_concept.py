"""First step of a concept map: asks the model whether the input is a concept at all."""

from __future__ import annotations

from workers.concepts.schema import ConceptVerdict
from workers.concepts.verdicts import REPLY_TOKENS, closing, failed, why_not
from workers.core.concepts.disciplines import discipline_named
from workers.core.concepts.maps import REASON, is_written_alike
from workers.core.errors import BudgetExceeded, Permanent
from workers.core.jobs.work import Event, Json, Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt


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
