"""Step: asks the model whether a new relation is right, or invented, vague or doubtful."""

from __future__ import annotations

from workers.concepts.schema import RelationVerdict
from workers.concepts.verdicts import closing, judge_relation
from workers.core.concepts.maps import Related
from workers.core.jobs.work import Event, Json, Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt


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
