"""Reply schemas of the survey: its plan, claims out of facts, and the answer out of claims."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hopline.models.base import Frozen
from workers.critic.schema import AnswerDraft
from workers.traverse.schema import Plan, Translated

AnswerKind = Literal["themes", "comparison", "timeline", "list", "count"]
MOST_FACTS = 60  # that one call makes claims of; a claim may rest on all of them


class SurveyPlan(Plan):
    """What a question about the whole asks for. Input: {question, history: [{question, answer}]}."""

    kind: AnswerKind = "themes"
    sub_questions: list[str] = Field(default=[], max_length=10)


class TranslatedSurveyPlan(Translated, SurveyPlan):
    """A plan with what to search for in other languages."""


class DraftClaim(Frozen):
    """A statement that facts carry."""

    text: str = Field(min_length=1, max_length=1000)
    facts: list[int] = Field(default=[], max_length=MOST_FACTS)  # numbers of the facts that say it


class TopicClaims(Frozen):
    """What facts of a topic say to a question.

    Input: {question, sub_questions, kind, facts: [{n, fact, quote, source}]}.
    """

    claims: list[DraftClaim] = Field(default=[], max_length=10)


class SurveyDraft(AnswerDraft):
    """The answer out of claims.

    Input: {question, sub_questions, kind, documents_looked_at, evidence: [{n, fact, quote, source,
    documents}]}, possible_contradictions as for an `AnswerDraft`: documents is how many distinct documents
    state what an entry says, counted by the code.
    """
