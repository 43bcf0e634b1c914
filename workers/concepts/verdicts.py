"""Judges concepts and relations by a model: doubtful ones are invalid, and reasons are kept short."""

from __future__ import annotations

from workers.concepts.schema import RelationVerdict
from workers.concepts.texts import say
from workers.core.concepts.maps import SHORT_REASON, Related, shortened
from workers.core.errors import BudgetExceeded, Permanent
from workers.core.jobs.work import Json
from workers.core.ports import Ports
from workers.core.prompts import Prompt

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
