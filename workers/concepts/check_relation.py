"""Step: asks the model whether a relation kept earlier is still right."""

from __future__ import annotations

from workers.concepts.schema import RelationCheck
from workers.concepts.verdicts import closing, judge_relation
from workers.core.concepts.maps import Related
from workers.core.jobs.work import Event, Json, Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt


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
