"""The critic step: scores facts for relevance."""

from __future__ import annotations

from typing import Literal

from workers.core.errors import BudgetExceeded, Permanent
from workers.core.events.questions import FactScored
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Json, Outcome
from workers.core.model import Frozen
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.critic.schema import FactScore

_REPLY_TOKENS = 200
_SHOWN = 100  # characters of a fact in events


class ScoreInput(Frozen):
    """A fact, and what it is scored for."""

    question: str
    sub_questions: tuple[str, ...]
    fact: str
    title: str  # of the document; "" where none is known
    quote: str  # the place that says it; "" where none is known


class ScoreResult(Frozen):
    """How much a fact helps to answer."""

    score: float | None  # 0 to 1; None where it is unscored
    source_description: str
    scored_by: Literal["critic", "default", "unscored"]
    failed: str | None = None  # why no critic gave the score


def score_fact(fact: ScoreInput, ports: Ports) -> Outcome:
    """Score a fact for relevance.

    A call that fails for good gives the default score; where the budget is spent the fact stays unscored,
    with a score of None, and keeps its search rank.

    Args:
        fact: with the question.
        ports: the fast model is asked once.
    """
    result = _scored(fact, ports)
    scored = FactScored(fact=fact.fact[:_SHOWN], score=result.score, scored_by=result.scored_by)
    return Outcome(result=result, events=(scored,))


def _scored(fact: ScoreInput, ports: Ports) -> ScoreResult:
    try:
        reply = ports.model.ask(
            load_prompt("workers.critic", "score"), _material(fact), FactScore, max_tokens=_REPLY_TOKENS
        ).value
    except BudgetExceeded as error:
        return _without_critic(fact, None, "unscored", error)
    except Permanent as error:
        default = QueryParams.read_stored(ports.job.params).default_score
        return _without_critic(fact, default, "default", error)
    described = " ".join(reply.source_description.split())
    return ScoreResult(score=reply.relevance, source_description=described or fact.title, scored_by="critic")


def _without_critic(
    fact: ScoreInput, score: float | None, scored_by: Literal["default", "unscored"], why: Exception
) -> ScoreResult:
    return ScoreResult(score=score, source_description=fact.title, scored_by=scored_by, failed=str(why)[:300])


def _material(fact: ScoreInput) -> Json:
    sources = [{"title": fact.title, "quote": fact.quote}] if fact.quote else []
    return {
        "question": fact.question,
        "sub_questions": list(fact.sub_questions),
        "fact": fact.fact,
        "sources": sources,
    }
