"""The critic step: scores facts for relevance, several in one call.

A single fact has its own prompt: asked as a list of one it takes about two fifths more tokens (706 instead of
494, with the schema and the reply), and a wrong number in the reply would cost it its score.
"""

from __future__ import annotations

from typing import Literal

from hopline.errors import Permanent
from hopline.events.questions import FactScored
from hopline.models.base import Frozen
from hopline.models.jobs import Json
from workers.core.errors import BudgetExceeded
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.critic.schema import FactScore, FactScores

_REPLY_TOKENS = 200
_TOKENS_A_FACT = 80  # of a reply to several
_SHOWN = 100  # characters of a fact in events
_UNSCORED_IN_REPLY = "the reply has no score for it"


class ScorableFact(Frozen):
    """A fact with its place."""

    fact: str
    title: str  # of the document; "" where none is known
    quote: str  # the place that says it; "" where none is known
    topic: str = ""  # of a survey: name of the topic that it lies in; the critic does not read it


class ScoreInput(ScorableFact):
    """A fact, and the question it is scored for."""

    question: str
    sub_questions: tuple[str, ...]
    others: tuple[ScorableFact, ...] = ()  # scored with the same call, each by itself


class FactRelevance(Frozen):
    """A fact's relevance to the question."""

    score: float | None  # 0 to 1; None where it is unscored
    source_description: str
    scored_by: Literal["critic", "default", "unscored"]


class ScoreResult(FactRelevance):
    """The score of an input's fact, and the scores of its other facts, in order."""

    failed: str | None = None  # why no critic gave one of the scores
    others: tuple[FactRelevance, ...] = ()


def score_fact(scoring: ScoreInput, ports: Ports) -> Outcome:
    """Score facts for relevance, in one call.

    If the call fails for good, each fact gets the default score, and so does a fact that the reply leaves
    out; if the budget is used up, facts stay unscored, with a score of None, and keep their search rank.

    Args:
        scoring: one fact or several, with the question.
        ports: the fast model is called once.
    """
    facts = (scoring, *scoring.others)
    scores, failed = _scored(scoring, facts, ports)
    first, *others = scores
    result = ScoreResult(**dict(first), failed=failed, others=tuple(others))
    events = [
        FactScored(fact=fact.fact[:_SHOWN], score=score.score, scored_by=score.scored_by, topic=fact.topic)
        for fact, score in zip(facts, scores, strict=True)
    ]
    return Outcome(result=result, events=tuple(events))


def _scored(
    scoring: ScoreInput, facts: tuple[ScorableFact, ...], ports: Ports
) -> tuple[list[FactRelevance], str | None]:
    """Return each fact's score, and why a critic did not give one of them."""
    default = QueryParams.read_stored(ports.job.params).default_score
    try:
        replies = _score_each(scoring, facts, ports) if scoring.others else {1: _score_alone(scoring, ports)}
    except BudgetExceeded as error:
        return [_without_critic(fact, None, "unscored") for fact in facts], str(error)[:300]
    except Permanent as error:
        return [_without_critic(fact, default, "default") for fact in facts], str(error)[:300]
    scores = [
        _build_relevance(fact, replies[number])
        if number in replies
        else _without_critic(fact, default, "default")
        for number, fact in enumerate(facts, 1)
    ]
    return scores, None if len(replies) == len(facts) else _UNSCORED_IN_REPLY


def _score_alone(scoring: ScoreInput, ports: Ports) -> FactScore:
    material = {**_describe_question(scoring), **_material(scoring)}
    prompt = load_prompt("workers.critic", "score")
    return ports.model.ask(prompt, material, FactScore, max_tokens=_REPLY_TOKENS).value


def _score_each(scoring: ScoreInput, facts: tuple[ScorableFact, ...], ports: Ports) -> dict[int, FactScore]:
    """Return the scores by the facts' numbers, from 1; the first where a reply scores one twice."""
    numbered = [{"n": number, **_material(fact)} for number, fact in enumerate(facts, 1)]
    reply = ports.model.ask(
        load_prompt("workers.critic", "score_each"),
        {**_describe_question(scoring), "facts": numbered},
        FactScores,
        max_tokens=_REPLY_TOKENS + _TOKENS_A_FACT * len(facts),
    ).value
    return {score.n: score for score in reversed(reply.scores) if 1 <= score.n <= len(facts)}


def _build_relevance(fact: ScorableFact, reply: FactScore) -> FactRelevance:
    described = " ".join(reply.source_description.split())
    return FactRelevance(
        score=reply.relevance, source_description=described or fact.title, scored_by="critic"
    )


def _without_critic(
    fact: ScorableFact, score: float | None, scored_by: Literal["default", "unscored"]
) -> FactRelevance:
    return FactRelevance(score=score, source_description=fact.title, scored_by=scored_by)


def _describe_question(scoring: ScoreInput) -> Json:
    return {"question": scoring.question, "sub_questions": list(scoring.sub_questions)}


def _material(fact: ScorableFact) -> Json:
    sources = [{"title": fact.title, "quote": fact.quote}] if fact.quote else []
    return {"fact": fact.fact, "sources": sources}
