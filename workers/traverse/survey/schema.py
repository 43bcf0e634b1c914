"""Reply schema of the survey's plan."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from workers.traverse.schema import Plan, Translated

AnswerKind = Literal["themes", "comparison", "timeline", "list", "count"]


class SurveyPlan(Plan):
    """What a question about the whole asks for. Input: {question, history: [{question, answer}]}."""

    kind: AnswerKind = "themes"
    sub_questions: list[str] = Field(default=[], max_length=10)


class TranslatedSurveyPlan(Translated, SurveyPlan):
    """A plan with what to search for in other languages."""
