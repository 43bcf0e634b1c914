"""The critic step: scores facts for relevance."""

from __future__ import annotations

from workers.core.errors import BudgetExceeded, Permanent
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Event, Json, Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.critic.schema import FactScore

_REPLY_TOKENS = 200
_SHOWN = 100  # characters of a fact in events


def score_fact(given: Json, ports: Ports) -> Outcome:
    """Return {score, source_description, scored_by, failed?}.

    A call that fails for good gives the default score; where the budget is spent the fact stays unscored,
    with a score of None, and keeps its search rank.

    Args:
        given: {question, sub_questions, fact, title, quote}; title and quote are empty where none is known.
        ports: the fast model is asked once.
    """
    title = given["title"]
    result: Json = {"score": None, "source_description": title, "scored_by": "unscored"}
    try:
        reply = ports.model.ask(
            load_prompt("workers.critic", "score"), _material(given), FactScore, max_tokens=_REPLY_TOKENS
        ).value
    except BudgetExceeded as error:
        result["failed"] = str(error)[:300]
    except Permanent as error:
        default = QueryParams.read_stored(ports.job.params).default_score
        result |= {"score": default, "scored_by": "default", "failed": str(error)[:300]}
    else:
        described = " ".join(reply.source_description.split())
        result |= {"score": reply.relevance, "source_description": described or title, "scored_by": "critic"}
    shown = {"fact": given["fact"][:_SHOWN], "score": result["score"], "scored_by": result["scored_by"]}
    return Outcome(result=result, events=(Event(name="fact.scored", data=shown),))


def _material(given: Json) -> Json:
    sources = [{"title": given["title"], "quote": given["quote"]}] if given["quote"] else []
    return {
        "question": given["question"],
        "sub_questions": given["sub_questions"],
        "fact": given["fact"],
        "sources": sources,
    }
